/**
 * Streams 100,000 withdrawals through `for await`: how much memory that takes, and how much time reading ahead
 * saves when the service needs 50 ms for a page.
 *
 * Run with `npm run build && node bench/listing.ts`.
 */
import { performance } from "node:perf_hooks";
import { MerchantClient } from "../dist/index.js";
import { collectGarbage, ratioOf, spreadOf, takeTurns } from "./measure.ts";
import { withdrawalPage } from "./payloads.ts";
import { printTable, type Row } from "./table.ts";

const total = 100_000;
const latencyMs = 50;

/** A service with 100,000 withdrawals, which it generates page by page and does not keep. */
function serve(latency: number) {
  return async (url: string): Promise<Response> => {
    const { searchParams } = new URL(url);
    const offset = Number(searchParams.get("offset") ?? 0);
    const limit = Number(searchParams.get("limit") ?? 100);
    if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency));
    return Response.json(withdrawalPage({ status: "pending", total, offset, limit }));
  };
}

/** Reads the whole list, and resolves to the seconds it took. */
async function stream(
  { prefetch, latency }: { prefetch: number; latency: number },
  everyTenPages: () => void = () => {},
): Promise<number> {
  const client = new MerchantClient({
    environment: "sandbox",
    secretKey: "sk_test_bench",
    fetch: serve(latency),
  });
  let count = 0;
  const startedAt = performance.now();
  for await (const { id } of client.withdrawals.list({ limit: 1000 }, { prefetch })) {
    count += id.length > 0 ? 1 : 0;
    if (count % 10_000 === 0) everyTenPages();
  }
  if (count !== total) throw new Error(`Read ${count} withdrawals instead of ${total}.`);
  return (performance.now() - startedAt) / 1000;
}

/** The peak growth of the heap while a list is read. */
async function growthMb(): Promise<number> {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  let most = before;
  await stream({ prefetch: 4, latency: 0 }, () => {
    collectGarbage();
    most = Math.max(most, process.memoryUsage().heapUsed);
  });
  return (most - before) / 1e6;
}

export async function listingRows(): Promise<Row[]> {
  await stream({ prefetch: 4, latency: 0 });
  const growth = await growthMb();
  const turns = await takeTurns(
    {
      ahead: () => stream({ prefetch: 4, latency: latencyMs }),
      one: () => stream({ prefetch: 0, latency: latencyMs }),
    },
    { rounds: 3, warmUp: 0 },
  );
  const seconds = (name: string) => `${spreadOf(turns[name] ?? []).median.toFixed(1)} s`;
  return [
    {
      what: "listing 100,000 withdrawals, 4 pages read ahead",
      ours: seconds("ahead"),
      peer: `page by page, ${latencyMs} ms a page ${seconds("one")}`,
      ratio: ratioOf(turns, "ahead", "one"),
      aim: 1 / 3,
    },
    {
      what: "listing 100,000 withdrawals, memory growth",
      ours: `${growth.toFixed(1)} MB`,
      aim: { text: "at most 30 MB", isMet: growth <= 30 },
    },
  ];
}

if (import.meta.main) printTable(await listingRows());
