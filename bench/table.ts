import type { Spread } from "./rounds.ts";

/** One line of the table. */
export interface Row {
  readonly what: string;
  /** What settlekit measured, with its unit. */
  readonly ours: string;
  /** What it is compared with, and what that measured. */
  readonly peer: string;
  /** Ours over theirs; one number where there were no rounds. */
  readonly ratio?: Spread | number;
  /** The most that the ratio's median may be, or what was asked instead and whether it holds. */
  readonly aim?: number | { readonly text: string; readonly met: boolean };
}

/** Prints rows as a Markdown table; the process fails when one misses its aim. */
export function printTable(rows: readonly Row[]): void {
  console.log(tableOf(rows));
  if (rows.some((row) => isMet(row) === false)) process.exitCode = 1;
}

/** Rows as a Markdown table. */
export function tableOf(rows: readonly Row[]): string {
  const [head = [], ...body] = [
    ["what", "settlekit", "beside", "ratio", "quartiles", "aim", "met"],
    ...rows.map(cellsOf),
  ];
  const widths = head.map((name, column) =>
    Math.max(name.length, ...body.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}

function cellsOf(row: Row): string[] {
  const { what, ours, peer, ratio, aim } = row;
  const met = isMet(row);
  return [
    what,
    ours,
    peer,
    medianOf(ratio)?.toFixed(2) ?? "",
    typeof ratio === "object" ? `${ratio.low.toFixed(2)} to ${ratio.high.toFixed(2)}` : "",
    typeof aim === "number" ? `at most ${aim.toFixed(2)}` : (aim?.text ?? ""),
    met === undefined ? "" : met ? "yes" : "NO",
  ];
}

function isMet({ ratio, aim }: Row): boolean | undefined {
  if (typeof aim === "object") return aim.met;
  const median = medianOf(ratio);
  return aim === undefined || median === undefined ? undefined : median <= aim;
}

function medianOf(ratio: Row["ratio"]): number | undefined {
  return typeof ratio === "object" ? ratio.median : ratio;
}

/** A time in the unit that keeps it readable. */
export function timeText(microseconds: number): string {
  if (microseconds >= 1e6) return `${(microseconds / 1e6).toFixed(1)} s`;
  if (microseconds >= 1000) return `${(microseconds / 1000).toFixed(1)} ms`;
  return `${microseconds.toFixed(microseconds < 100 ? 1 : 0)} us`;
}
