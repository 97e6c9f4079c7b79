import { main, type Variables, variablesWith } from "./command-line.ts";

/** Undefined if there are no binaries for the platform. */
const pty = await import("@lydell/node-pty").catch(() => undefined);

export const hasPseudoTerminals = pty !== undefined;
if (!hasPseudoTerminals) process.stderr.write("No pseudo-terminals here: tests skipped.\n");

interface Ended {
  readonly code: number;
  /** Everything sent to the terminal by stdout and stderr, with control sequences. */
  readonly screen: string;
}

interface Options {
  readonly variables?: Variables;
  readonly cwd?: string;
  /** By a text, what to type as soon as it is on the screen. */
  readonly answers?: Readonly<Record<string, string>>;
}

/** Runs `settlekit` to its end on a pseudo-terminal. */
export function onTerminal(
  args: readonly string[],
  { variables = {}, cwd = process.cwd(), answers = {} }: Options = {},
): Promise<Ended> {
  if (pty === undefined) throw new Error("There are no pseudo-terminals here.");
  const terminal = pty.spawn(process.execPath, [main, ...args], {
    name: "xterm-256color",
    cols: 200,
    cwd,
    env: { ...variablesWith(variables), TERM: "xterm-256color" },
  });
  const waiting = new Map(Object.entries(answers));
  let screen = "";
  terminal.onData((data) => {
    screen += data;
    for (const [text, answer] of waiting) {
      if (!screen.includes(text)) continue;
      waiting.delete(text);
      terminal.write(answer);
    }
  });
  return new Promise((resolve) => {
    terminal.onExit(({ exitCode: code }) => resolve({ code, screen }));
  });
}
