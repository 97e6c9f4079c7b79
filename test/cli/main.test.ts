import { PassThrough, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, test, vi } from "vitest";
import { commands, run } from "../../src/cli/command-line.ts";
import { settlekit } from "./command-line.ts";

const names = Array.from(new Set(commands.map(({ words: [name = ""] }) => name)));

describe("settlekit", () => {
  test.each([["--help"], ["help"], ["sandbox", "--help"]])(
    "%s prints to stdout",
    async (...args) => {
      const { code, stdout, stderr } = await settlekit(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(/^Usage: settlekit /m);
    },
  );

  test("without a command prints its usage on stderr, and exits with 2", async () => {
    const { code, stdout, stderr } = await settlekit([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("Usage: settlekit COMMAND");
    for (const name of names) expect(stderr).toContain(name);
  });

  test.each([
    ["sandbx", "Did you mean `sandbox`?"],
    ["--trigger", "Did you mean `trigger`?"],
    ["constructor", "`constructor`"],
    ["\u001b[8mhidden", "\\u001b[8mhidden"],
  ])("refuses the unknown command %j", async (name, hint) => {
    const { code, stdout, stderr } = await settlekit([name]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(hint);
    expect(stderr).toContain("Try: settlekit --help");
  });

  test.each([
    ["payouts", "list, show, plan, approve, "],
    ["inbox", "status, parked, failing, retry, reconcile, sql."],
    ["payments", "create, "],
  ])("%s alone lists its verbs", async (group, verbs) => {
    const { code, stdout, stderr } = await settlekit([group]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(`Missing command after ${group}: ${verbs}`);
    expect(stderr).toContain(`Try: settlekit ${group} --help`);
  });

  test.each(names)("%s refuses an unknown option and names its own help", async (name) => {
    const { code, stdout, stderr } = await settlekit([name, "--jsn", "--", "true"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("--jsn");
    expect(stderr).toContain(`Try: settlekit ${name} --help`);
  });

  test.each([
    ["payments", "list", "--limit"],
    ["payments", "get", "id", "--dotenv"],
    ["sandbox", "--host"],
    ["simulate", "id"],
    ["payments"],
    [],
  ])("does not repeat a secret in the wrong place: %s %s %s", async (...args) => {
    const webhookSecret = "a secret without a prefix";
    for (const secret of ["sk_test_0123456789", webhookSecret]) {
      const variables = { SETTLEKIT_WEBHOOK_SECRET: webhookSecret };
      const { code, stdout, stderr } = await settlekit([...args, secret, "--json"], variables);
      expect(code).toBe(2);
      expect(stdout + stderr).not.toContain(secret);
      expect(stdout).toContain("[redacted]");
      expect(stderr).toContain("[redacted]");
    }
  });

  test("does not repeat a secret in an internal error, which is printed with its stack", async () => {
    const secret = "sk_test_0123456789";
    const stdout = new Writable();
    vi.spyOn(stdout, "write").mockImplementation(() => {
      throw new Error(`cannot write for ${secret}`);
    });
    const stderr = new PassThrough();
    expect(await run(["--version"], { stdout, stderr })).toBe(1);
    const printed = await text(stderr.end());
    expect(printed).toContain("Internal error, a bug in settlekit:\nError: cannot write for sk_");
    expect(printed).not.toContain(secret);
  });

  test("names the option whose value a sandbox refuses", async () => {
    const { code, stderr } = await settlekit(["sandbox", "--port", "0", "--allow-host", "a:1"]);
    expect(code).toBe(2);
    expect(stderr).toContain('settlekit: `--allow-host`: "a:1" is not a host name.');
  });

  describe("with --json", () => {
    const missing = "/no/such/folder/file";
    test.each([
      ["an unknown option", ["payments", "list", "--json", "--nope"]],
      ["a missing argument", ["payments", "get", "--json"]],
      ["a value that cannot be read", ["sandbox", "--port", "abc", "--json"]],
      ["a group without a verb", ["payments", "--json"]],
      ["a dotenv file that cannot be read", ["doctor", "--json", "--dotenv", missing]],
      ["options that exclude each other", ["payments", "list", "--json", "--csv"]],
      ["a setting that is missing", ["listen", "--json"]],
    ])("%s is also a JSON line", async (_, args) => {
      const { code, stdout, stderr } = await settlekit(args);
      expect(code).toBe(2);
      const { type, error } = JSON.parse(stdout);
      expect({ type, name: error.name }).toEqual({ type: "error", name: "UsageError" });
      expect(stderr).toContain(`settlekit: ${error.message.split("\n")[0]}`);
    });

    test("an error about the value of an option names the option in both places", async () => {
      const { code, stdout, stderr } = await settlekit(["sandbox", "--json", "--data", missing]);
      expect(code).toBe(2);
      expect(JSON.parse(stdout).error).toMatchObject({ code: "cannot_open_data", param: "data" });
      expect(stderr).toMatch(/^settlekit: `--data`: /);
    });

    test("a --json after -- belongs to the other command", async () => {
      const { code, stdout } = await settlekit(["exec", "--nope", "--", "node", "--json"]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    });
  });
});
