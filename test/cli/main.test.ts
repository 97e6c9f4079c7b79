import { describe, expect, test } from "vitest";
import { commands } from "../../src/cli/commands.ts";
import { version } from "../../src/http/version.ts";
import { settlekit } from "./command-line.ts";

const names = Object.keys(commands);

describe("settlekit", () => {
  test.each(["--help", "-h", "help"])("%s prints every command on stdout", async (flag) => {
    const { code, stdout, stderr } = await settlekit([flag]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const name of names) expect(stdout).toMatch(new RegExp(`^  ${name} `, "m"));
  });

  test.each(["--version", "-v"])("%s prints the version alone", async (flag) => {
    expect(await settlekit([flag])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  test("without a command it explains itself, as a mistake", async () => {
    const { code, stdout, stderr } = await settlekit([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("Usage: settlekit <command>");
  });

  test.each([
    ["sandbx", 'Did you mean "sandbox"?'],
    ["list", 'Did you mean "listen"?'],
    ["--trigger", 'Did you mean "trigger"?'],
    ["constructor", 'There is no command "constructor". There are: sandbox,'],
  ])("the unknown command %s is met with what there is", async (name, hint) => {
    const { code, stdout, stderr } = await settlekit([name]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(hint);
    for (const known of names) expect(stderr).toContain(known);
  });

  test.each(names)("%s --help shows its options and an example, and runs nothing", async (name) => {
    const { code, stdout, stderr } = await settlekit([name, "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^Usage: settlekit ${name} `));
    const [, examples = ""] = stdout.split(/^Examples?:\n/m);
    expect(examples).toMatch(new RegExp(`^  settlekit ${name} `));
  });

  test("help and a command's name explain that command", async () => {
    const [asked, said] = await Promise.all([
      settlekit(["help", "trigger"]),
      settlekit(["trigger", "--help"]),
    ]);
    expect(asked).toEqual(said);
    const unknown = await settlekit(["help", "triger"]);
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
    expect(unknown.stderr).toContain('Did you mean "trigger"?');
  });

  test.each(names)("%s meets an unknown option with what there is", async (name) => {
    const { code, stdout, stderr } = await settlekit([name, "--jsn", "--", "true"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(`"settlekit ${name}" has no option --jsn.`);
    expect(stderr).toContain("--help");
  });
});
