// Creates 2,000 payments with up to 50 at once against a sandbox that takes 100 requests a second, and
// again while the limit changes half-way. The client is not told the limit. Fails when the first case takes
// more than 15% over the ideal time, or more than 3% of its requests are refused after two seconds.

import { performance } from "node:perf_hooks";
import { MerchantClient } from "../src/index.ts";
import { createSandbox } from "../src/sandbox/index.ts";

interface Scenario {
  readonly name: string;
  readonly limits: readonly [first: number, second: number];
  /** When the limit changes, in milliseconds. */
  readonly changesAfterMs: number;
  /** What a client that knew the limits would need. */
  readonly idealSeconds: number;
}

const payments = 2000;
const concurrency = 50;

const scenarios: Scenario[] = [
  { name: "100 a second", limits: [100, 100], changesAfterMs: 60_000, idealSeconds: 20 },
  { name: "100, then 50", limits: [100, 50], changesAfterMs: 10_000, idealSeconds: 30 },
  { name: "50, then 100", limits: [50, 100], changesAfterMs: 10_000, idealSeconds: 25 },
];

async function run({ name, limits, changesAfterMs, idealSeconds }: Scenario) {
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

  return { name, seconds, idealSeconds, requests, refused: lateRefused / late };
}

const results = [];
for (const scenario of scenarios) results.push(await run(scenario));
console.table(
  results.map(({ name, seconds, idealSeconds, requests, refused }) => ({
    limit: name,
    seconds: seconds.toFixed(1),
    ideal: idealSeconds,
    "over ideal": `${(100 * (seconds / idealSeconds - 1)).toFixed(1)} %`,
    requests,
    "429 after 2 s": `${(100 * refused).toFixed(2)} %`,
  })),
);

const [steady] = results;
if (!steady || steady.seconds > 1.15 * steady.idealSeconds || steady.refused > 0.03) {
  console.error("The steady limit was not met well enough.");
  process.exitCode = 1;
}
