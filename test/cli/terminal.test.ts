import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { createTerminal } from "../../src/cli/terminal.ts";

function terminalWith({ isTTY = true, variables = {} } = {}) {
  const stdout = new PassThrough();
  const stderr = Object.assign(new PassThrough(), { isTTY });
  const terminal = createTerminal({ stdout, stderr, variables });
  const written = () => ({
    stdout: String(stdout.read() ?? ""),
    stderr: String(stderr.read() ?? ""),
  });
  return { terminal, written };
}

describe("the terminal", () => {
  test("prose goes to stderr, JSON and what was asked for to stdout", () => {
    const { terminal, written } = terminalWith();
    terminal.say("hello");
    terminal.json({ a: 1 });
    terminal.print("0.1.0\n");
    expect(written()).toEqual({ stdout: '{"a":1}\n0.1.0\n', stderr: "hello\n" });
  });

  test("colours are for terminals whose user did not decline them", () => {
    const painted = (options: object) => terminalWith(options).terminal.paint("red", "x");
    expect(painted({})).toBe("\u001b[31mx\u001b[0m");
    expect(painted({ isTTY: false })).toBe("x");
    expect(painted({ variables: { NO_COLOR: "1" } })).toBe("x");
    expect(painted({ variables: { NO_COLOR: "" } })).toBe("\u001b[31mx\u001b[0m");
    expect(painted({ variables: { TERM: "dumb" } })).toBe("x");
  });

  test("what a request says cannot steer the terminal or add lines", () => {
    const { terminal, written } = terminalWith();
    terminal.say(`order \u001b]0;title\u0007 \u001b[2J\r\nfake line \u202e \u009b1m`);
    expect(written().stderr).toBe(
      "order \\u001b]0;title\\u0007 \\u001b[2J\\u000d\\u000afake line \\u202e \\u009b1m\n",
    );
  });

  test("its own colours stay", () => {
    const { terminal, written } = terminalWith();
    terminal.say(terminal.paint("green", "fine"));
    expect(written().stderr).toBe("\u001b[32mfine\u001b[0m\n");
  });
});
