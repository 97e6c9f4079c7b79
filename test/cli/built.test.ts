import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { unsupportedNode, version } from "../../src/runtime.ts";
import { built, CommandLine, main } from "./command-line.ts";
import type { Keys } from "./running-sandbox.ts";

/** Waits for a process whose stdout is not read; returns its exit code and stderr. */
async function endOf(child: ChildProcess) {
  const [stderr, [code]] = await Promise.all([
    child.stderr && text(child.stderr),
    once(child, "close"),
  ]);
  return { code, stderr };
}

/** The text of a built file and of everything that it imports statically. */
async function loadedWith(file: string): Promise<string> {
  const loaded = new Map<string, string>();
  const load = async (name: string): Promise<void> => {
    if (loaded.has(name)) return;
    const text = await readFile(join(built, name), "utf8");
    loaded.set(name, text);
    const imports = text.matchAll(/^(?:import|export) .*'\.\/(.+?)';$/gm);
    await Promise.all(Array.from(imports, ([, imported = ""]) => load(imported)));
  };
  await load(file);
  return [...loaded.values()].join("");
}

describe("the built command line", () => {
  test("is what the package installs as settlekit", async () => {
    const { bin } = JSON.parse(await readFile(resolve("package.json"), "utf8"));
    expect(bin).toEqual({ settlekit: "dist/cli.js" });
  });

  test("starts with a shebang line, and runs", async () => {
    const text = await readFile(main, "utf8");
    expect(text).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect((await new CommandLine(["--version"]).ended).stdout).toBe(`${version}\n`);
  });

  test("exits with the code of its error, after the whole message is written", async () => {
    const { code, stdout, stderr } = await new CommandLine(["sandbx"]).ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("Did you mean `sandbox`?");
    expect(stderr).toMatch(/Try: settlekit --help\n$/);
  });

  test.runIf(existsSync("/dev/full")).each([["inbox", "sql", "--sqlite"], ["--help"]])(
    "reports that its output could not be written: %s",
    async (...args) => {
      const full = await open("/dev/full", "w");
      const child = spawn(process.execPath, [main, ...args], {
        stdio: ["ignore", full.fd, "pipe"],
      });
      expect(await endOf(child)).toEqual({
        code: 74,
        stderr: expect.stringMatching(/^settlekit: The output could not be written: ENOSPC.*\n$/),
      });
      await full.close();
    },
  );

  test("exits quietly when its reader closes the pipe", async () => {
    const child = spawn(process.execPath, [main, "inbox", "sql", "--sqlite"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.destroy();
    expect(await endOf(child)).toEqual({ code: 0, stderr: "" });
  });

  test("runs a client against a sandbox with exec", async () => {
    const doctor = [process.execPath, main, "doctor", "--json"];
    const { stdout } = await new CommandLine(["exec", "--", ...doctor]).ended;
    const levels = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).level);
    expect(levels).toEqual(Array(8).fill("ok"));
  });

  test("opens the inspector in the browser with --open", async () => {
    const bin = await mkdtemp(join(tmpdir(), "settlekit-bin-"));
    for (const opener of ["open", "xdg-open"]) {
      const source = `#!${process.execPath}
        const [, , url] = process.argv;
        fetch(new URL("/opened?" + url, url)).then(() => {});`;
      await writeFile(join(bin, opener), source, { mode: 0o755 });
    }
    const args = ["sandbox", "--port=0", "--json", "--open"];
    await using running = new CommandLine(args, { PATH: bin });
    const { url } = await running.json<Keys>();
    expect(await running.json("request")).toMatchObject({ path: `/opened?${url}/_sandbox` });
    await rm(bin, { recursive: true });
  });

  test("continues with --open when there is no browser", async () => {
    const args = ["sandbox", "--port=0", "--json", "--open"];
    await using running = new CommandLine(args, { PATH: "/nowhere" });
    const { url } = await running.json<Keys>();
    await running.stderr.next((line) => line.includes(`Open ${url}/_sandbox yourself`));
    expect((await fetch(url)).status).toBe(404);
  });

  test("serves a sandbox with Node's permission to read its own files only", async () => {
    const args = ["sandbox", "--port=0", "--json"];
    const network = process.allowedNodeEnvironmentFlags.has("--allow-net") ? " --allow-net" : "";
    const env = { NODE_OPTIONS: `--permission --allow-fs-read=${built}${network}` };
    await using running = new CommandLine(args, env);
    const { url } = await running.json<Keys>();
    expect((await fetch(url)).status).toBe(404);
  });

  test("names the Node that it requires on an older one, before loading anything that could fail there", async () => {
    const older = `delete Map.groupBy;
      const value = { ...process.versions, node: "20.20.2" };
      Object.defineProperty(process, "versions", { value });`;
    const imported = `data:text/javascript,${encodeURIComponent(older)}`;
    for (const args of [["--help"], ["doctor"], []]) {
      const child = spawn(process.execPath, ["--import", imported, main, ...args], {
        stdio: ["ignore", "ignore", "pipe"],
      });
      expect(await endOf(child)).toEqual({
        code: 2,
        stderr: `${unsupportedNode("20.20.2")}\n`,
      });
    }
    expect(await loadedWith("cli.js")).not.toMatch(/(from|import) 'node:|runParser/);
  });

  test("prints help without loading the sandbox", async () => {
    const [, commands = ""] = /import\('\.\/(.+?)'\)/.exec(await readFile(main, "utf8")) ?? [];
    const text = await loadedWith(commands);
    expect(text).toContain("runParser");
    expect(text).not.toContain("function createSandbox");
    expect(text).not.toContain("class MerchantClient");
  });
});
