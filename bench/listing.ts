// Streams 100,000 withdrawals through `for await`: what memory it takes, and what reading ahead gives
// when the service needs 50 ms for a page. Fails when memory grows by 30 MB, or reading ahead is less than
// three times as fast. Run with --expose-gc.

import { MerchantClient } from "../src/index.ts";

const total = 100_000;
const latencyMs = 50;

function withdrawal(index: number) {
  const time = new Date(1_700_000_000_000 - index * 1000).toISOString();
  return {
    id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
    merchantId: "00000000-0000-4000-8000-00000000000a",
    amountInCents: 12_500,
    chainId: 84532,
    recipientAddress: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    status: "pending",
    currency: "USD",
    orderId: `payout_${index}`,
    errorMessage: null,
    receipt: null,
    createdAt: time,
    updatedAt: time,
  };
}

/** A service with 100,000 withdrawals, made page by page so that it holds none of them itself. */
function serve(latency: number) {
  return async (url: string): Promise<Response> => {
    const { searchParams } = new URL(url);
    const offset = Number(searchParams.get("offset") ?? 0);
    const limit = Number(searchParams.get("limit") ?? 100);
    const length = Math.max(0, Math.min(limit, total - offset));
    const data = Array.from({ length }, (_, index) => withdrawal(offset + index));
    if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency));
    const hasMore = offset + length < total;
    const pagination = { total, limit, offset, hasMore, totalPages: 100, currentPage: 1 };
    return Response.json({ data, pagination });
  };
}

async function stream(prefetch: number, latency: number) {
  const client = new MerchantClient({
    environment: "sandbox",
    secretKey: "sk_test_bench",
    fetch: serve(latency),
  });
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  let most = before;
  let count = 0;
  const startedAt = performance.now();
  for await (const { id } of client.withdrawals.list({ limit: 1000 }, { prefetch })) {
    count += id.length > 0 ? 1 : 0;
    if (count % 10_000 === 0) {
      globalThis.gc?.();
      most = Math.max(most, process.memoryUsage().heapUsed);
    }
  }
  const seconds = (performance.now() - startedAt) / 1000;
  return { prefetch, count, seconds, growthMb: (most - before) / 1e6 };
}

// The first round warms up.
await stream(0, 0);
const one = await stream(0, latencyMs);
const ahead = await stream(4, latencyMs);
console.table(
  [one, ahead].map(({ prefetch, count, seconds, growthMb }) => ({
    prefetch,
    latency: `${latencyMs} ms`,
    withdrawals: count,
    seconds: seconds.toFixed(2),
    "memory growth": `${growthMb.toFixed(1)} MB`,
  })),
);

if (Math.max(one.growthMb, ahead.growthMb) > 30 || one.seconds < 3 * ahead.seconds) {
  console.error("Streaming takes too much memory, or reading ahead gives too little.");
  process.exitCode = 1;
}
