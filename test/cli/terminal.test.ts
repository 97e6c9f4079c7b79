import { PassThrough } from "node:stream";
import { WriteStream } from "node:tty";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createTerminal, paint } from "../../src/cli/terminal.ts";

/** Everything written to the stream. From Node 26 on, a single read returns only one chunk. */
function everythingOn(stream: PassThrough): string {
  let text = "";
  for (let piece = stream.read(); piece !== null; piece = stream.read()) text += piece;
  return text;
}

function terminalWith({ isTTY = true } = {}) {
  const stdout = new PassThrough();
  const { getColorDepth } = WriteStream.prototype;
  const stderr = Object.assign(new PassThrough(), isTTY && { isTTY, getColorDepth });
  const terminal = createTerminal({ stdout, stderr });
  const written = () => ({ stdout: everythingOn(stdout), stderr: everythingOn(stderr) });
  return { terminal, written };
}

beforeEach(() => {
  for (const name of ["NO_COLOR", "FORCE_COLOR", "NODE_DISABLE_COLORS", "CI"]) {
    vi.stubEnv(name, undefined);
  }
  vi.stubEnv("TERM", "xterm-256color");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

test("any output erases the progress bar first, because it would continue the bar's line", () => {
  const screen = Object.assign(new PassThrough(), { isTTY: true });
  const terminal = createTerminal({ stdout: screen, stderr: screen });
  for (const print of [terminal.print, terminal.say, () => terminal.json({})]) {
    terminal.progress(1, 2);
    print("row");
    terminal.progress();
  }
  const bar = "[===============               ] 1 of 2\r\u001b[2K";
  expect(everythingOn(screen)).toBe(`${bar}row\n${bar}row\n${bar}{}\n`);
});

test("a terminal that does not know its size, as in some containers, is as wide as a pipe", () => {
  const screen = Object.assign(new PassThrough(), { isTTY: true, columns: 0 });
  expect(createTerminal({ stdout: screen, stderr: screen }).columns).toBeUndefined();
});

describe("the terminal", () => {
  test("prose goes to stderr, data to stdout", () => {
    const { terminal, written } = terminalWith();
    terminal.say("hello");
    terminal.json({ a: 1 });
    expect(written()).toEqual({ stdout: '{"a":1}\n', stderr: "hello\n" });
  });

  test.each([
    ["a terminal", true, {}, true],
    ["a pipe", false, {}, false],
    ["a terminal with NO_COLOR", true, { NO_COLOR: "1" }, false],
    ["a dumb terminal", true, { TERM: "dumb" }, false],
  ])("colours on %s", (_, isTTY, variables, hasColours) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    const { terminal, written } = terminalWith({ isTTY });
    terminal.say(`a ${paint("red", "x")} b`);
    expect(written().stderr).toBe(hasColours ? "a \u001b[31mx\u001b[39m b\n" : "a x b\n");
  });

  test("printed data cannot control the terminal or add lines", () => {
    const { terminal, written } = terminalWith();
    terminal.say(`order \u001b]0;title\u0007 \u001b[2J\r\nfake line \u202e \u009b1m`);
    expect(written().stderr).toBe(
      "order \\u001b]0;title\\u0007 \\u001b[2J\\u000d\\u000afake line \\u202e \\u009b1m\n",
    );
  });

  test.each([true, false])("printed data has no colours, on a terminal: %s", (isTTY) => {
    const { terminal, written } = terminalWith({ isTTY });
    const hidden = "\u001b[8mhidden\u001b[0m \u001b[32mverified\u001b[0m";
    terminal.say(`order ${hidden}`);
    expect(written().stderr).toBe(
      "order \\u001b[8mhidden\\u001b[0m \\u001b[32mverified\\u001b[0m\n",
    );
  });

  test("JSON lines keep their value, without anything that would control a terminal", () => {
    const { terminal, written } = terminalWith();
    const value = { orderId: "a\u001b[8m\u009b8m\u007f\u202e\u200f\u2028" };
    terminal.json(value);
    const { stdout } = written();
    expect(stdout).toMatch(/^[ -~]+\n$/);
    expect(JSON.parse(stdout)).toEqual(value);
  });

  test("JSON lines can be read by jq, which refuses half an emoji, such as of a truncated text", () => {
    const { terminal, written } = terminalWith();
    terminal.json({ body: "😀".slice(0, 1), whole: "😀" });
    expect(written().stdout).toBe('{"body":"\ufffd","whole":"😀"}\n');
  });

  test("a credential is never printed, not even its beginning at the end of a truncated text", () => {
    const { terminal, written } = terminalWith();
    terminal.conceal('whsec_"0123456789');
    terminal.conceal("short");
    terminal.say('echo whsec_"0123456789, a short one');
    terminal.json({ a: ['x whsec_"0123456789 y'], cut: 'z whsec_"01' });
    expect(written()).toEqual({
      stdout: '{"a":["x [redacted] y"],"cut":"z [redacted]"}\n',
      stderr: "echo [redacted], a short one\n",
    });
  });
});
