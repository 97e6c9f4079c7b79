import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { createTerminal } from "../../src/cli/terminal.ts";

/** A read gives all that was written, or from Node 26 on one piece of it. */
function everythingOn(stream: PassThrough): string {
  let text = "";
  for (let piece = stream.read(); piece !== null; piece = stream.read()) text += piece;
  return text;
}

function terminalWith({ isTTY = true, variables = {} } = {}) {
  const stdout = new PassThrough();
  const stderr = Object.assign(new PassThrough(), { isTTY });
  const terminal = createTerminal({ stdout, stderr, variables });
  const written = () => ({ stdout: everythingOn(stdout), stderr: everythingOn(stderr) });
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
    const painted = (options: object) => {
      const { terminal, written } = terminalWith(options);
      terminal.say(`a ${terminal.paint("red", "x")} b`);
      return written().stderr;
    };
    expect(painted({})).toBe("a \u001b[31mx\u001b[0m b\n");
    expect(painted({ isTTY: false })).toBe("a x b\n");
    expect(painted({ variables: { NO_COLOR: "1" } })).toBe("a x b\n");
    expect(painted({ variables: { NO_COLOR: "" } })).toBe("a \u001b[31mx\u001b[0m b\n");
    expect(painted({ variables: { TERM: "dumb" } })).toBe("a x b\n");
  });

  test("what a request says cannot steer the terminal or add lines", () => {
    const { terminal, written } = terminalWith();
    terminal.say(`order \u001b]0;title\u0007 \u001b[2J\r\nfake line \u202e \u009b1m`);
    expect(written().stderr).toBe(
      "order \\u001b]0;title\\u0007 \\u001b[2J\\u000d\\u000afake line \\u202e \\u009b1m\n",
    );
  });

  test.each([true, false])("what a request says has no colours, on a terminal: %s", (isTTY) => {
    const { terminal, written } = terminalWith({ isTTY });
    const hidden = "\u001b[8mhidden\u001b[0m \u001b[32mverified\u001b[0m";
    terminal.say(`order ${hidden}`);
    expect(written().stderr).toBe(
      "order \\u001b[8mhidden\\u001b[0m \\u001b[32mverified\\u001b[0m\n",
    );
  });

  test("lines of JSON are the same value, without anything that would steer a terminal", () => {
    const { terminal, written } = terminalWith();
    const value = { orderId: "a\u001b[8m\u009b8m\u007f\u202e\u200f\u2028" };
    terminal.json(value);
    const { stdout } = written();
    expect(stdout).toMatch(/^[ -~]+\n$/);
    expect(JSON.parse(stdout)).toEqual(value);
  });
});
