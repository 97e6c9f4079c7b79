/**
 * What checking a page of 1,000 withdrawals against its schema costs, beside parsing its JSON; and what
 * all of a list's page costs, beside reading its answer as JSON.
 *
 * Run with `npm run build && node bench/validation.ts`. The schemas are no part of what the package
 * exports, so they come from src/.
 */
import { MerchantClient } from "../dist/index.js";
import { listWithdrawals } from "../src/wire/operations.ts";
import { perCall, ratioOf, spreadOf, takeTurns } from "./rounds.ts";
import { printTable, type Row, timeText } from "./table.ts";
import { withdrawalPage } from "./withdrawal-answer.ts";

const aim = 2;

/** @param options.quick Only the rows that have an aim, in fewer rounds. */
export async function validationRows({ quick }: { quick: boolean }): Promise<Row[]> {
  const rows: Row[] = [];
  for (const status of ["completed", "pending"] as const) {
    const text = JSON.stringify(withdrawalPage({ status, total: 100_000, offset: 0, limit: 1000 }));
    const page: unknown = JSON.parse(text);
    const answer = async () =>
      new Response(text, { headers: { "content-type": "application/json" } });
    const client = new MerchantClient({
      environment: "sandbox",
      secretKey: "sk_test_bench",
      fetch: answer,
    });
    const cases = {
      validation: perCall(() => listWithdrawals.response.read(page), 3),
      "JSON.parse": perCall(() => JSON.parse(text), 3),
      ...(!quick && {
        "withdrawals.list": perCall(() => client.withdrawals.list({ limit: 1000 }), 3),
        "Response.json()": perCall(async () => (await answer()).json(), 3),
      }),
    };
    const turns = await takeTurns(cases, { rounds: quick ? 60 : 200, warmUp: 40 });
    const time = (name: string) => timeText(spreadOf(turns[name] ?? []).median);
    rows.push({
      what: `validation of 1,000 ${status} withdrawals`,
      ours: time("validation"),
      peer: `JSON.parse of its ${Math.round(text.length / 1000)} kB ${time("JSON.parse")}`,
      ratio: ratioOf(turns, "validation", "JSON.parse"),
      aim,
    });
    if (quick) continue;
    rows.push({
      what: `listing a page of 1,000 ${status} withdrawals, fetch being a stub`,
      ours: time("withdrawals.list"),
      peer: `Response.json() ${time("Response.json()")}`,
      ratio: ratioOf(turns, "withdrawals.list", "Response.json()"),
    });
  }
  return rows;
}

if (import.meta.main) printTable(await validationRows({ quick: false }));
