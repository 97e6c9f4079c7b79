/**
 * Validating a page of 1,000 withdrawals, compared with parsing its JSON; and listing such a page, compared with
 * reading the response as JSON.
 *
 * Run with `npm run build && node bench/validation.ts`. The package does not export the function that reads responses,
 * so the bench imports it from src/.
 */
import { MerchantClient } from "../dist/index.js";
import { readTolerantly } from "../src/wire/fields.ts";
import { listWithdrawals } from "../src/wire/operations.ts";
import { perCall, ratioOf, spreadOf, takeTurns } from "./measure.ts";
import { withdrawalPage } from "./payloads.ts";
import { printTable, type Row, timeText } from "./table.ts";

const aim = 2.5;

/** @param options.quick Measures only the rows with an aim, in fewer rounds. */
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
      validation: perCall(() => readTolerantly(listWithdrawals.response, page), 3),
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
      what: `listing a page of 1,000 ${status} withdrawals with a stubbed fetch`,
      ours: time("withdrawals.list"),
      peer: `Response.json() ${time("Response.json()")}`,
      ratio: ratioOf(turns, "withdrawals.list", "Response.json()"),
    });
  }
  return rows;
}

if (import.meta.main) printTable(await validationRows({ quick: false }));
