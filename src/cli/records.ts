import { integer } from "@optique/core/valueparser";
import { isRecord } from "../values.ts";
import { setting, toggle, type ValuesOf } from "./command.ts";
import { UsageError } from "./exit-codes.ts";
import { type Terminal, visible } from "./terminal.ts";

/** For commands that print the newest items of a list. */
export const pageOptions = {
  limit: setting(
    "--limit NUMBER",
    "The most items to print. Default: 20.",
    integer({ min: 1 }),
  ).optional(),
  all: toggle("--all", "Print all items."),
};

export function mostOf({ limit, all }: ValuesOf<typeof pageOptions>): number {
  if (limit !== undefined && all) throw new UsageError("Pass --limit or --all, not both.");
  return all ? Number.POSITIVE_INFINITY : (limit ?? 20);
}

interface ListOptions {
  /** Whether to print CSV instead of a table. */
  readonly csv?: boolean;
  /** The fields that hold no objects or lists. */
  readonly columns: readonly string[];
  /** The table's fields. Default: those that people look for first. */
  readonly table?: readonly string[];
  /** How many items to print. Default: all. */
  readonly most?: number | undefined;
}

/** A page of a list, or a whole list. */
interface Part {
  readonly data: readonly unknown[];
  readonly pagination?: { readonly total?: unknown; readonly offset?: unknown };
}

/** Prints one object: as JSON, or these of its fields line by line, by default all. */
export async function printRecord(record: object, terminal: Terminal, names?: readonly string[]) {
  const fields = fieldsOf(record).filter(([name = ""]) => names?.includes(name) ?? true);
  terminal.result(record, ...(await alignedLines(fields)));
}

/** Names fields of nested objects with dots; shows a list as its length. */
function fieldsOf(record: object, path = ""): string[][] {
  return Object.entries(record).flatMap(([name, value]) => {
    if (value === null || value === undefined) return [];
    if (isRecord(value) && !(value instanceof Date)) return fieldsOf(value, `${path}${name}.`);
    const text = Array.isArray(value) ? `${value.length} items; --json prints them` : textOf(value);
    return [[`${path}${name}`, text]];
  });
}

/** Prints a list: JSON and CSV page by page, a table once it is complete. */
export async function printList(
  list: unknown,
  { csv, columns, table = tableColumns(columns), most = Number.POSITIVE_INFINITY }: ListOptions,
  terminal: Terminal,
): Promise<void> {
  const rows: string[][] = [];
  let count = 0;
  let left = 0;
  if (csv) terminal.print(csvLine(columns));
  for await (const { data, pagination } of partsOf(list)) {
    const items = data.slice(0, most - count);
    for (const item of items) {
      if (terminal.asJson) terminal.json(isRecord(item) ? item : { value: item });
      else if (csv) terminal.print(csvLine(columns.map((name) => fieldOf(item, name))));
      else rows.push(table.map((name) => fieldOf(item, name)));
      count++;
    }
    const { total, offset } = pagination ?? {};
    if (typeof total === "number") {
      terminal.progress(count, Math.min(most, total));
      left = total - Number(offset ?? 0) - items.length;
    }
    if (count >= most || !terminal.isRead()) break;
  }
  terminal.progress();
  if (!csv && rows.length > 0) {
    const lines = await alignedLines([table, ...rows], terminal.columns);
    for (const line of lines) terminal.print(line);
    const hidden = table.filter((name) => !lines[0]?.split(/ +/).includes(name));
    if (hidden.length > 0) {
      terminal.say(`Too wide for this terminal: ${hidden.join(", ")}. --json prints everything.`);
    }
  }
  if (count === 0 && !csv) terminal.say("No results.");
  if (count >= most && left > 0) terminal.say(`${left} more; --all prints them.`);
}

async function* partsOf(list: unknown): AsyncGenerator<Part> {
  const { pages }: { pages?: () => AsyncIterable<Part> } = Object(list);
  if (pages) return yield* pages.call(list);
  const whole = await list;
  const data = isRecord(whole) ? Object.values(whole).find(Array.isArray) : whole;
  yield { data: Array.isArray(data) ? data : [] };
}

/** Columns of tables, most important first, of which the first 7 are printed. JSON and CSV have more. */
const important = [
  "id",
  "orderId",
  "chainId",
  "chain.chainId",
  "symbol",
  "token.symbol",
  "name",
  "status",
  "tokenPriceUsd",
  "contractAddress",
  "amountInCents",
  "type",
  "amountFormatted",
  "expectedAmountAsset",
  "expiresAt",
  "recipientAddress",
  "createdAt",
];

function tableColumns(columns: readonly string[]): readonly string[] {
  const known = important.filter((name) => columns.includes(name));
  return (known.length > 1 ? known : columns).slice(0, 7);
}

/** Pads the cells of each column. Leaves out columns that do not fit, unless they hold sentences, which may wrap. */
async function alignedLines(rows: readonly (readonly string[])[], room = Infinity) {
  // Loaded late: its expressions for emoji take longer to compile than most commands to start.
  const { default: stringWidth } = await import("string-width");
  const shown = rows.map((row) => row.map(visible));
  const [first = []] = shown;
  const widths = first.map((_, column) =>
    shown.reduce((widest, row) => Math.max(widest, stringWidth(row[column] ?? "")), 0),
  );
  let left = room;
  const fits = widths.map((width, column) => {
    if (column > 0 && width > left) return /^(?:problem|reason)$/.test(first[column] ?? "");
    left -= width + 2;
    return true;
  });
  const padded = (cell: string, column: number) =>
    cell + " ".repeat((widths[column] ?? 0) - stringWidth(cell));
  const lineOf = (row: readonly string[]) => row.map(padded).filter((_, column) => fits[column]);
  return shown.map((row) => lineOf(row).join("  ").trimEnd());
}

/** As in RFC 4180. */
function csvLine(cells: readonly string[]): string {
  const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
  return cells.map((cell) => (/[",\r\n]/.test(cell) ? quoted(cell) : cell)).join(",");
}

function fieldOf(item: unknown, name: string): string {
  const below = (value: unknown, part: string) => (isRecord(value) ? value[part] : undefined);
  return textOf(name.split(".").reduce(below, item));
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
