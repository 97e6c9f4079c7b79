import { markdownTable } from "markdown-table";
import type { Spread } from "./measure.ts";

/** One line of the table. */
export interface Row {
  readonly what: string;
  /** settlekit's figure, with its unit. */
  readonly ours: string;
  /** The peer and its figure. */
  readonly peer?: string;
  /** Ours over theirs; a single number if there were no rounds. */
  readonly ratio?: Spread | number;
  /** The maximum of the ratio's median, or another aim and whether it is met. */
  readonly aim?: number | { readonly text: string; readonly isMet: boolean } | undefined;
  /** Whether the row fails the process. */
  readonly isFailure?: boolean;
}

/** Prints rows as a Markdown table. Sets the exit code to 1 if a row is a failure. */
export function printTable(rows: readonly Row[]): void {
  console.log(tableOf(rows));
  if (rows.some(({ isFailure }) => isFailure)) process.exitCode = 1;
}

/** Rows as a Markdown table. */
export function tableOf(rows: readonly Row[]): string {
  return markdownTable([
    ["what", "settlekit", "compared with", "ratio", "quartiles", "aim", "met"],
    ...rows.map(cellsOf),
  ]);
}

function cellsOf(row: Row): string[] {
  const { what, ours, peer = "", ratio, aim } = row;
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
  if (typeof aim === "object") return aim.isMet;
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
