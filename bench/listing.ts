/**
 * Streams 100,000 withdrawals through `for await`: what memory it takes, and what reading ahead gives
 * when the service needs 50 ms for a page.
 *
 * Run with `npm run build && node bench/listing.ts`.
 */
import { performance } from "node:perf_hooks";
import { MerchantClient } from "../dist/index.js";
import { collectGarbage } from "./collect-garbage.ts";
import { printTable, type Row } from "./table.ts";
import { withdrawalPage } from "./withdrawal-answer.ts";

const total = 100_000;
const latencyMs = 50;

/** A service with 100,000 withdrawals, made page by page so that it holds none of them itself. */
function serve(latency: number) {
  return async (url: string): Promise<Response> => {
    const { searchParams } = new URL(url);
    const offset = Number(searchParams.get("offset") ?? 0);
    const limit = Number(searchParams.get("limit") ?? 100);
    if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency));
    return Response.json(withdrawalPage({ status: "pending", total, offset, limit }));
  };
}

async function stream(prefetch: number, latency: number) {
  const client = new MerchantClient({
    environment: "sandbox",
    secretKey: "sk_test_bench",
    fetch: serve(latency),
  });
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  let most = before;
  let count = 0;
  const startedAt = performance.now();
  for await (const { id } of client.withdrawals.list({ limit: 1000 }, { prefetch })) {
    count += id.length > 0 ? 1 : 0;
    if (count % 10_000 === 0) {
      collectGarbage();
      most = Math.max(most, process.memoryUsage().heapUsed);
    }
  }
  const seconds = (performance.now() - startedAt) / 1000;
  return { prefetch, count, seconds, growthMb: (most - before) / 1e6 };
}

export async function listingRows(): Promise<Row[]> {
  // The first round warms up.
  await stream(0, 0);
  const one = await stream(0, latencyMs);
  const ahead = await stream(4, latencyMs);
  const growthMb = Math.max(one.growthMb, ahead.growthMb);
  return [
    {
      what: "listing 100,000 withdrawals, 4 pages read ahead",
      ours: `${ahead.seconds.toFixed(1)} s`,
      peer: `page by page, 50 ms a page ${one.seconds.toFixed(1)} s`,
      ratio: ahead.seconds / one.seconds,
      aim: 1 / 3,
    },
    {
      what: "listing 100,000 withdrawals, memory growth",
      ours: `${growthMb.toFixed(1)} MB`,
      peer: "",
      aim: { text: "at most 30 MB", met: growthMb <= 30 },
    },
  ];
}

if (import.meta.main) printTable(await listingRows());
