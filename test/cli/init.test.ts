import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import {
  lstat,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandLine, main, settlekit, variablesWith } from "./command-line.ts";
import { sandbox } from "./running-sandbox.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "settlekit-init-"));
});
afterEach(() => rm(folder, { recursive: true }));

const init = (...args: string[]) => settlekit(["init", ...args], {}, folder);
const dotenv = () => readFile(join(folder, ".env"), "utf8");

const dependOn = (framework: string) =>
  writeFile(join(folder, "package.json"), JSON.stringify({ dependencies: { [framework]: "*" } }));

describe("settlekit init", () => {
  test("writes the variables of the sandbox, readable only by the file's owner", async () => {
    const { code, stderr } = await init();
    expect(code).toBe(0);
    expect(stderr).toContain("Wrote .env.");
    expect(stderr).toContain("npx settlekit doctor --dotenv .env\n");
    await using running = await sandbox();
    const { secretKey, webhookSecret } = running.keys;
    expect(await dotenv()).toBe(
      "SETTLEKIT_ENVIRONMENT=sandbox\nSETTLEKIT_SANDBOX_URL=http://127.0.0.1:4010\n" +
        `SETTLEKIT_SECRET_KEY=${secretKey}\nSETTLEKIT_WEBHOOK_SECRET=${webhookSecret}\n`,
    );
    expect((await stat(join(folder, ".env"))).mode & 0o777).toBe(0o600);
    expect((await init()).stderr).toContain(".env is up to date.");
  });

  test("keeps what is in the file, and changes no variable without asking", async () => {
    await writeFile(join(folder, ".env"), "# mine\nPORT=3000\nSETTLEKIT_SECRET_KEY='sk_test_mine'");
    const { code, stderr } = await init();
    expect(code).toBe(0);
    expect(stderr).toContain(
      "Warning: SETTLEKIT_SECRET_KEY has a different value in .env, which was kept.",
    );
    const text = await dotenv();
    expect(text).toMatch(/^# mine\nPORT=3000\nSETTLEKIT_SECRET_KEY='sk_test_mine'\nSETTLEKIT_ENV/);
    expect(text).not.toMatch(/SETTLEKIT_SECRET_KEY=sk/);
    const again = await init();
    expect(again.stderr).toContain("SETTLEKIT_SECRET_KEY has a different value");
    expect(again.stderr).toContain(".env was left unchanged.");
    expect(again.stderr).not.toContain("up to date");
  });

  test("keeps the line ends of Windows", async () => {
    await writeFile(join(folder, ".env"), "# mine\r\nPORT=3000");
    await init();
    expect(await dotenv()).toMatch(/^# mine\r\nPORT=3000\r\nSETTLEKIT_ENVIRONMENT=sandbox\r\n/);
    expect((await dotenv()).split("\n").every((line) => /^$|\r$/.test(line))).toBe(true);
  });

  test("prints commands that work with a path that contains a space", async () => {
    const { stderr } = await init("--dotenv", "my file.env");
    expect(stderr).toContain('npx settlekit doctor --dotenv "my file.env"\n');
    expect(stderr).toContain('node --env-file="my file.env" server.mjs\n');
  });

  test("recognises the first variable of a file that begins with a byte order mark", async () => {
    await init();
    const text = await dotenv();
    await writeFile(join(folder, ".env"), `\ufeff${text}`);
    expect((await init()).stderr).toContain(".env is up to date.");
  });

  test("refuses a file in UTF-16, as Windows PowerShell writes it, and leaves it as it is", async () => {
    const bytes = Buffer.from("\ufeffDB_PASSWORD=mine\r\n", "utf16le");
    await writeFile(join(folder, ".env"), bytes);
    const { code, stderr } = await init();
    expect(code).toBe(2);
    expect(stderr).toContain(".env is not in UTF-8. Save it as UTF-8");
    expect(await readFile(join(folder, ".env"))).toEqual(bytes);
  });

  test.each([
    [{ dependencies: { express: "5" } }, 'app.all("/webhooks", webhooks.nodeHandler());'],
    [{ dependencies: { next: "16", react: "19" } }, "export const POST = webhooks.fetchHandler();"],
    [{ devDependencies: { fastify: "5" } }, "app.register(fastifyWebhooks"],
    [{}, 'listen(port, "127.0.0.1");'],
  ])("prints code for the framework in %j", async (packageJson, code) => {
    await writeFile(join(folder, "package.json"), JSON.stringify(packageJson));
    expect((await init()).stdout).toContain(code);
  });

  test.each([
    ["null", "is not a JSON object"],
    ["[1]", "is not a JSON object"],
    ['"text"', "is not a JSON object"],
    ["x{", "is not JSON"],
    ["", "is not JSON"],
  ])("refuses a package.json that holds %s, and writes nothing", async (content, fact) => {
    await writeFile(join(folder, "package.json"), content);
    const { code, stderr } = await init();
    expect(code).toBe(2);
    const path = JSON.stringify(join(await realpath(folder), "package.json"));
    expect(stderr).toContain(`${path} ${fact}. Correct it`);
    expect(await readdir(folder)).toEqual(["package.json"]);
  });

  test.each([
    ["express", ".env", "  node --env-file=.env server.mjs"],
    // Next.js reads these itself.
    ["next", ".env", "  npx next dev"],
    ["next", ".env.local", "  npx next dev"],
    ["next", "sandbox.env", "  node --env-file=sandbox.env node_modules/next/dist/bin/next dev"],
  ])("says how to start a %s server with %s", async (framework, path, advice) => {
    await dependOn(framework);
    const { stderr } = await init("--dotenv", path);
    expect(stderr.trimEnd().split("\n").at(-1)).toBe(advice);
  });

  test("names the same file in a package of ES modules, as the guide does", async () => {
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    const { stderr } = await init();
    expect(stderr).toContain("in server.mjs:");
    expect(stderr.trimEnd()).toMatch(/ server\.mjs$/);
  });

  test.runIf(existsSync("/bin/sh"))("keeps the file when there is no space for it", async () => {
    const mine = "# mine\n".repeat(1_000);
    await writeFile(join(folder, ".env"), mine);
    // No file may become longer than this.
    const limited = 'ulimit -f 1; exec "$0" "$@"';
    const args = ["-c", limited, process.execPath, main, "init"];
    const { code, stderr } = await promisify(execFile)("/bin/sh", args, {
      cwd: folder,
      env: variablesWith({}),
    }).catch((error) => error);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^settlekit: \.env cannot be written: EFBIG/),
    });
    expect(await dotenv()).toBe(mine);
  });

  test("follows a link, and keeps the mode of the file behind it", async () => {
    const shared = join(folder, "shared.env");
    await writeFile(shared, "PORT=3000\n", { mode: 0o640 });
    await symlink(shared, join(folder, ".env"));
    expect((await init()).stderr).toContain("Wrote .env.");
    expect((await lstat(join(folder, ".env"))).isSymbolicLink()).toBe(true);
    expect(await readFile(shared, "utf8")).toMatch(/^PORT=3000\nSETTLEKIT_ENVIRONMENT=sandbox\n/);
    expect((await stat(shared)).mode & 0o777).toBe(0o640);
  });

  test("says when the file cannot be written", async () => {
    const { code, stderr } = await init("--dotenv", "no/such/folder/.env");
    expect(code).toBe(2);
    expect(stderr).toContain("no/such/folder/.env cannot be written");
  });
});

test("settlekit sandbox --write-dotenv writes the variables of this sandbox", async () => {
  const path = join(folder, ".env");
  await using running = await sandbox("--seed", "mine", "--write-dotenv", path);
  const { url, secretKey } = running.keys;
  const variables = `SETTLEKIT_SANDBOX_URL=${url}\nSETTLEKIT_SECRET_KEY=${secretKey}\n`;
  // Before the first line, for which scripts wait.
  expect(readFileSync(path, "utf8")).toContain(variables);
  // With --json, there is no prose.
  expect((await running.stop()).stderr).toBe("");
});

test("settlekit sandbox does not claim to run if the variables cannot be written", async () => {
  const args = ["sandbox", "--port", "0", "--json", "--write-dotenv", join(folder, "no/.env")];
  const { code, stdout } = await new CommandLine(args).ended;
  expect(code).toBe(2);
  expect(stdout).toMatch(/^{"type":"error".*cannot be written.*\n$/);
});
