import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { built, CommandLine } from "./command-line.ts";

const settlekitModule = JSON.stringify(join(built, "index.js"));
const node = (source: string) => [process.execPath, "--input-type=module", "--eval", source];
const exec = (...args: string[]) => new CommandLine(["exec", ...args]).ended;

describe("settlekit exec", () => {
  test("gives the command a sandbox that the client finds by itself", async () => {
    const source = `
      import { MerchantClient } from ${settlekitModule};
      const client = new MerchantClient();
      const { payment } = await client.payments.create({ amount: 2500, orderId: "order_1" });
      console.log(payment.status, process.env.SETTLEKIT_ENVIRONMENT);
      console.log(process.env.SETTLEKIT_WEBHOOK_SECRET.slice(0, 6));`;
    const { code, stdout, stderr } = await exec("--", ...node(source));
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: "pending sandbox\nwhsec_\n",
      stderr: expect.stringMatching(
        /^sandbox at (http:\/\/127\.0\.0\.1:\d+), inspector \1\/_sandbox\n$/,
      ),
    });
  });

  test("gives the command the secrets of further merchants in numbered variables", async () => {
    const source = `
      import { MerchantClient } from ${settlekitModule};
      const { SETTLEKIT_SECRET_KEY_2: secretKey, SETTLEKIT_WEBHOOK_SECRET_2: secret } = process.env;
      await new MerchantClient().payments.create({ amount: 2500, orderId: "order_1" });
      const { data } = await new MerchantClient({ secretKey }).payments.list();
      console.log(data.length, secret.slice(0, 6), "SETTLEKIT_SECRET_KEY_3" in process.env);`;
    const { code, stdout } = await exec("--merchants", "2", "--", ...node(source));
    expect({ code, stdout }).toEqual({ code: 0, stdout: "0 whsec_ false\n" });
  });

  test("stops the sandbox when the command ends", async () => {
    const { stdout } = await exec("--", ...node("console.log(process.env.SETTLEKIT_SANDBOX_URL)"));
    await expect(fetch(stdout.trim())).rejects.toThrow();
  });

  test("uses other keys in each run, unless a seed is given", async () => {
    const print = node("console.log(process.env.SETTLEKIT_SECRET_KEY)");
    const keys = await Promise.all([
      exec("--", ...print),
      exec("--", ...print),
      exec("--seed", "a", "--", ...print),
      exec("--seed", "a", "--", ...print),
    ]).then((runs) => runs.map(({ stdout }) => stdout));
    expect(new Set(keys.slice(0, 3)).size).toBe(3);
    expect(keys[3]).toBe(keys[2]);
  });

  test("applies faults and a frozen clock to the command's requests", async () => {
    const source = `
      const url = process.env.SETTLEKIT_SANDBOX_URL + "/v1/external/secretkey-auth/payments";
      const { status, headers } = await fetch(url);
      console.log(status, headers.get("date"));`;
    const options = ["--now", "2026-01-01", "--fault", "GET /payments 503"];
    const { stdout } = await exec(...options, "--", ...node(source));
    expect(stdout).toBe("503 Thu, 01 Jan 2026 00:00:00 GMT\n");
  });

  test("passes the header prefix on to the command's clients", async () => {
    const source = `
      import { MerchantClient } from ${settlekitModule};
      await new MerchantClient().payments.list();
      console.log(process.env.SETTLEKIT_HEADER_PREFIX);`;
    const { code, stdout } = await exec("--header-prefix", "X-Acme", "--", ...node(source));
    expect({ code, stdout }).toEqual({ code: 0, stdout: "X-Acme\n" });
  });

  test("prefers --header-prefix to the variable", async () => {
    const print = node("console.log(process.env.SETTLEKIT_HEADER_PREFIX)");
    const variables = { SETTLEKIT_HEADER_PREFIX: "X-Acme" };
    const args = ["exec", "--header-prefix", "X-Service", "--", ...print];
    expect((await new CommandLine(args, variables).ended).stdout).toBe("X-Service\n");
  });

  test("exits with the command's exit code", async () => {
    expect((await exec("--", ...node("process.exit(7)"))).code).toBe(7);
  });

  test("exits with 128 plus the number of the signal that ended the command", async () => {
    const source = "process.kill(process.pid, 'SIGKILL')";
    expect((await exec("--", ...node(source))).code).toBe(137);
  });

  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "passes %s on, and waits for the command to end",
    async (signal) => {
      const source = `
        process.on("${signal}", () => { console.log("tidied up"); process.exit(9); });
        setInterval(() => {}, 1000);
        console.log("ready");`;
      await using running = new CommandLine(["exec", "--", ...node(source)]);
      await running.stdout.next((line) => line === "ready");
      expect(await running.stop(signal)).toMatchObject({ code: 9, stdout: "ready\ntidied up\n" });
    },
  );

  test("exits with 127 for a missing command, and with 126 for one that cannot be run", async () => {
    expect(await exec("--", "no-such-command")).toMatchObject({
      code: 127,
      stderr: expect.stringContaining(
        'settlekit: cannot run "no-such-command": command not found.\n',
      ),
    });
    const { code, stderr } = await exec("--", import.meta.filename);
    expect(code).toBe(126);
    expect(stderr).toContain("EACCES");
    // Node throws this one instead of emitting it.
    const withinFile = join(import.meta.filename, "command");
    expect(await exec("--", withinFile)).toMatchObject({
      code: 126,
      stderr: expect.stringContaining("ENOTDIR"),
    });
  });

  test("refuses an empty command, such as that of an unset variable", async () => {
    expect(await exec("--", "")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("The command to run is empty"),
    });
  });

  test("asks for -- rather than parse the command's options as its own", async () => {
    const { code, stderr } = await exec("npm", "test", "--coverage");
    expect(code).toBe(2);
    expect(stderr).toContain('settlekit exec -- "npm" ...');
    expect((await exec("--")).stderr).toContain("Missing command to run.");
  });
});

test("on Windows, a script gets each word as it is", async () => {
  // Starts a process that prints what would have been started.
  const preload = `
    import childProcess from "node:child_process";
    import { syncBuiltinESMExports } from "node:module";
    const { spawn } = childProcess;
    childProcess.spawn = (file, args, { windowsVerbatimArguments: isVerbatim, ...options }) => {
      const started = JSON.stringify({ file, args, isVerbatim });
      return spawn(process.execPath, ["-p", JSON.stringify(started)], options);
    };
    syncBuiltinESMExports();
    Object.defineProperty(process, "platform", { value: "win32" });`;
  const variables = {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}`,
    comspec: "cmd.exe",
  };
  const words = ["some-script", "two words\\", "%PATH%", 'say "x"', "a&b", ""];
  const { code, stdout } = await new CommandLine(["exec", "--", ...words], variables).ended;
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    file: "cmd.exe",
    args: [
      "/d",
      "/s",
      "/c",
      String.raw`"some-script ^"two^ words\\^" ^"^%PATH^%^" ^"say^ \^"x\^"^" ^"a^&b^" ^"^""`,
    ],
    isVerbatim: true,
  });
});
