import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { version } from "../../src/runtime.ts";
import { CommandLine } from "./command-line.ts";
import type { Keys } from "./running-sandbox.ts";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
let folder: string;

/** Built as the package is, but beside it. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "settlekit-cli-"));
  const tsup = join(root, "node_modules/tsup/dist/cli-default.js");
  await run(process.execPath, [tsup, "--no-dts", "--silent", "--out-dir", folder], { cwd: root });
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
});
afterAll(() => rm(folder, { recursive: true }));

const file = () => join(folder, "cli.js");
const settlekit = (...args: string[]) => run(process.execPath, [file(), ...args]);

describe("the built command line", () => {
  test("is what the package installs as settlekit", async () => {
    const { bin } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    expect(bin).toEqual({ settlekit: "./dist/cli.js" });
  });

  test("can be run as it stands, on systems that read a first line for it", async () => {
    const text = await readFile(file(), "utf8");
    expect(text).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect((await settlekit("--version")).stdout).toBe(`${version}\n`);
  });

  test("runs a sandbox and, against it, a client", async () => {
    const doctor = [process.execPath, file(), "doctor", "--json"];
    const { stdout } = await settlekit("exec", "--", ...doctor);
    const levels = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).level);
    expect(levels).toEqual(["ok", "ok", "ok", "ok", "ok", "ok", "ok"]);
  });

  test("--open shows the sandbox in the browser", async () => {
    const bin = await mkdtemp(join(folder, "bin-"));
    for (const opener of ["open", "xdg-open"]) {
      const source = `#!${process.execPath}
        const [, , url] = process.argv;
        fetch(new URL("/opened?" + url, url)).then(() => {});`;
      await writeFile(join(bin, opener), source, { mode: 0o755 });
    }
    const args = ["sandbox", "--port=0", "--json", "--open"];
    await using running = new CommandLine(args, { PATH: bin }, { program: file() });
    const { url } = await running.json<Keys>();
    expect(await running.json("request")).toMatchObject({ path: `/opened?${url}/_sandbox` });
  });

  test("--open goes on where there is no browser", async () => {
    const args = ["sandbox", "--port=0", "--json", "--open"];
    await using running = new CommandLine(args, { PATH: "/nowhere" }, { program: file() });
    const { url } = await running.json<Keys>();
    await running.stderr.next((line) => line.includes(`Open ${url}/_sandbox in yours`));
    expect((await fetch(url)).status).toBe(404);
  });

  test("prints help without loading the sandbox", async () => {
    const loaded = new Map<string, string>();
    const load = async (name: string): Promise<void> => {
      if (loaded.has(name)) return;
      const text = await readFile(join(folder, name), "utf8");
      loaded.set(name, text);
      const imports = text.matchAll(/^(?:} from|import) "\.\/(.+?)"/gm);
      await Promise.all(Array.from(imports, ([, imported = ""]) => load(imported)));
    };
    await load("cli.js");
    expect(loaded.size).toBeGreaterThan(1);
    const text = [...loaded.values()].join("");
    expect(text).not.toContain("function createSandbox");
    expect(text).not.toContain("class MerchantClient");
  });
});
