/**
 * What checking a page of 1,000 withdrawals against its schema costs, beside parsing its JSON.
 *
 * Run with `node bench/validation.ts`. The schemas are no part of what the package exports, so they come
 * from src/.
 */
import { listWithdrawals } from "../src/wire/operations.ts";
import { perCall, ratioOf, spreadOf, takeTurns } from "./rounds.ts";
import { printTable, type Row, timeText } from "./table.ts";
import { withdrawalPage } from "./withdrawal-answer.ts";

const aim = 2;

export async function validationRows(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const status of ["completed", "pending"] as const) {
    const text = JSON.stringify(withdrawalPage({ status, total: 100_000, offset: 0, limit: 1000 }));
    const page: unknown = JSON.parse(text);
    const cases = {
      validation: perCall(() => listWithdrawals.response.read(page), 3),
      "JSON.parse": perCall(() => JSON.parse(text), 3),
    };
    const turns = await takeTurns(cases, { rounds: 200, warmUp: 40 });
    const time = (name: string) => timeText(spreadOf(turns[name] ?? []).median);
    rows.push({
      what: `validation of 1,000 ${status} withdrawals`,
      ours: time("validation"),
      peer: `JSON.parse of its ${Math.round(text.length / 1000)} kB ${time("JSON.parse")}`,
      ratio: ratioOf(turns, "validation", "JSON.parse"),
      aim,
    });
  }
  return rows;
}

if (import.meta.main) printTable(await validationRows());
