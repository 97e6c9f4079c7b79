/**
 * Creates 2,000 payments, up to 50 at once, against a sandbox that takes 100 requests a second, and again while
 * that limit changes. The client does not know the limit; the ratio compares it with one that does.
 *
 * Run with `npm run build && node bench/bulk.ts`; it takes about 80 seconds.
 */
import { performance } from "node:perf_hooks";
import { MerchantClient } from "../dist/index.js";
import { createSandbox } from "../dist/sandbox.js";
import { printTable, type Row } from "./table.ts";

interface Scenario {
  readonly name: string;
  readonly limits: readonly [first: number, second: number];
  /** When the limit changes, in milliseconds. */
  readonly changesAfterMs: number;
  /** The time that a client needs if it knows the limits. */
  readonly idealSeconds: number;
  readonly aims?: { readonly ratio: number; readonly refused: number };
}

const payments = 2000;
const concurrency = 50;

const scenarios: Scenario[] = [
  {
    name: "100 a second",
    limits: [100, 100],
    changesAfterMs: 60_000,
    idealSeconds: 20,
    aims: { ratio: 1.15, refused: 0.03 },
  },
  { name: "100, then 50", limits: [100, 50], changesAfterMs: 10_000, idealSeconds: 30 },
  { name: "50, then 100", limits: [50, 100], changesAfterMs: 10_000, idealSeconds: 25 },
];

async function run({ limits, changesAfterMs }: Scenario) {
  const sandbox = createSandbox();
  const server = await sandbox.listen({ port: 0 });
  sandbox.faults.rateLimit({ requestsPerSecond: limits[0], retryAfterSeconds: 1 });
  const change = setTimeout(() => {
    sandbox.faults.rateLimit({ requestsPerSecond: limits[1], retryAfterSeconds: 1 });
  }, changesAfterMs);

  const startedAt = performance.now();
  let requests = 0;
  let late = 0;
  let lateRefused = 0;
  const client = new MerchantClient({
    environment: "sandbox",
    baseUrl: server.url,
    secretKey: sandbox.secretKey,
    deadlineMs: 120_000,
    onEvent(event) {
      if (event.type !== "attempt") return;
      requests += 1;
      if (performance.now() - startedAt < 2000) return;
      late += 1;
      if (event.status === 429) lateRefused += 1;
    },
  });

  let next = 0;
  const worker = async () => {
    while (next < payments) {
      const orderId = `order_${next++}`;
      await client.payments.create({ amount: 2500, orderId });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const seconds = (performance.now() - startedAt) / 1000;
  clearTimeout(change);
  await server.close();

  return { seconds, requests, refused: lateRefused / late };
}

export async function bulkRows(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const scenario of scenarios) {
    const { name, idealSeconds, aims } = scenario;
    const { seconds, requests, refused } = await run(scenario);
    const ratio = seconds / idealSeconds;
    rows.push(
      {
        what: `2,000 payments under a limit of ${name}`,
        ours: `${seconds.toFixed(1)} s`,
        peer: `a client that knows the limit ${idealSeconds.toFixed(1)} s`,
        ratio,
        ...(aims && { aim: aims.ratio }),
      },
      {
        what: `the same, refused after 2 s, of ${requests} requests`,
        ours: `${(100 * refused).toFixed(2)} %`,
        ...(aims && {
          aim: { text: `at most ${100 * aims.refused} %`, isMet: refused <= aims.refused },
        }),
      },
    );
  }
  return rows;
}

if (import.meta.main) printTable(await bulkRows());
