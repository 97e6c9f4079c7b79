import type { Command } from "./command.ts";

/** What `settlekit <command> --help` prints. */
export function helpFor(command: Command): string {
  const { name, operands, description, options, examples } = command;
  const hasOptions = Object.keys(options).length > 0;
  const usage = [
    "settlekit",
    name,
    ...(operands && !command.runsAnother ? [operands] : []),
    ...(hasOptions ? ["[options]"] : []),
    ...(operands && command.runsAnother ? ["--", operands] : []),
  ].join(" ");
  return lines(
    `Usage: ${usage}`,
    "",
    ...description,
    "",
    "Options:",
    ...columns([
      ...Object.entries(options).map(([option, { value, multiple, description: text }]): Row => {
        const left = value === undefined ? `--${option}` : `--${option} ${value}`;
        return [multiple ? `${left} ...` : left, text];
      }),
      ["-h, --help", "Print this."],
    ]),
    "",
    examples.length === 1 ? "Example:" : "Examples:",
    ...examples.map((example) => `  ${example}`),
  );
}

/** What `settlekit --help` prints. */
export function overview(summaries: readonly (readonly [name: string, summary: string])[]): string {
  return lines(
    "Usage: settlekit <command> [options]",
    "",
    "Commands:",
    ...columns(summaries),
    "",
    "Options:",
    ...columns([
      ["-h, --help", "Print this, or what one command does: settlekit sandbox --help"],
      ["-v, --version", "Print the version."],
    ]),
    "",
    "Example:",
    "  settlekit sandbox --webhook-url http://127.0.0.1:3000/webhooks",
    "",
    "Exit codes: 0 fine, 1 internal error, 2 usage or configuration, 3 authentication, 4 network,",
    "5 the other side refused, 130 interrupted.",
  );
}

type Row = readonly [left: string, right: string];

/** Long left sides get a line of their own, so that they do not push everything else away. */
const maxLeftWidth = 26;

function columns(rows: readonly Row[]): string[] {
  const lefts = rows.map(([left]) => left.length).filter((length) => length <= maxLeftWidth);
  const width = Math.max(...lefts) + 2;
  return rows.flatMap(([left, right]) =>
    left.length <= maxLeftWidth
      ? [`  ${left.padEnd(width)}${right}`]
      : [`  ${left}`, `  ${" ".repeat(width)}${right}`],
  );
}

function lines(...all: readonly string[]): string {
  return `${all.join("\n")}\n`;
}
