// Tries a hundred thousand hostile inputs, then the largest bodies and the smallest chunks:
//
//   node test/webhooks/fuzz.ts [inputs] [seed]
//
// Fails when anything but a WebhookVerificationError is thrown, when receivers disagree, when an unsigned delivery
// is accepted, when the cost of a body grows faster than its size, when one of the small inputs costs more than
// the costliest of the largest bodies, and when tiny chunks take memory.

import assert from "node:assert/strict";
import fc from "fast-check";
import { everyChunk, memoryUnderAttack } from "./attack-by-tiny-chunks.ts";
import { delivery } from "./deliveries.ts";
import { type HostileInput, hostileInput, largeBodies, sizeLimit } from "./hostile-inputs.ts";
import { judge } from "./judge.ts";

const numRuns = Number(process.argv[2] ?? 100_000);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);

/** The shortest of several times: garbage collection can slow down any input, but a slow input is slow every time. */
async function cost(input: HostileInput, notableMs: number): Promise<number> {
  const { verdict, slowestMs } = await judge(input);
  verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
  let bestMs = slowestMs;
  for (let again = 0; again < 5 && bestMs > notableMs; again++) {
    bestMs = Math.min(bestMs, (await judge(input)).slowestMs);
  }
  return bestMs;
}

const verdicts = new Map<string, number>();

// A cost that grows with the square of the size would grow by the square of this.
const growth = 8;
let costliestMs = 0;
for (const [name, bodyOf] of Object.entries(largeBodies)) {
  const costOf = async (size: number) => {
    const body = bodyOf(size);
    let slowestMs = 0;
    for (const form of [body, Buffer.from(body)]) {
      const signed = delivery({ body: form });
      const headers = { ...signed.headers, "x-service-signature": "0".repeat(64) };
      const forged = { input: { ...signed, headers }, isSigned: false };
      slowestMs = Math.max(slowestMs, await cost(forged, 0));
      slowestMs = Math.max(slowestMs, await cost({ input: signed, isSigned: true }, 0));
    }
    return slowestMs;
  };
  const smallMs = await costOf(sizeLimit / growth);
  const largeMs = await costOf(sizeLimit);
  const ratio = largeMs / smallMs;
  print(`${name}: ${largeMs.toFixed(1)} ms, ${ratio.toFixed(1)} times an eighth of it`);
  // V8's own parser needs much memory for deep lists, which some machines are slow to provide.
  const allowedMs = growth * 3 * smallMs + 2 * parsingMs(bodyOf(sizeLimit));
  assert.ok(largeMs < allowedMs, "the cost grows faster than the size");
  costliestMs = Math.max(costliestMs, largeMs);
}

verdicts.clear();
let slowestMs = 0;
print(`${numRuns} inputs, seed ${seed}`);
await fc.assert(
  fc.asyncProperty(hostileInput, async (input) => {
    const ms = await cost(input, costliestMs / 10);
    assert.ok(ms < costliestMs, `took ${ms} ms`);
    slowestMs = Math.max(slowestMs, ms);
  }),
  { numRuns, seed },
);
print(`The slowest took ${slowestMs.toFixed(1)} ms.`);
for (const [verdict, count] of [...verdicts].sort((a, b) => b[1] - a[1])) {
  print(`  ${String(count).padStart(6)} ${verdict}`);
}

const memory = await memoryUnderAttack(everyChunk);
print(`24 MB in chunks of one byte: ${(memory / 1e6).toFixed(0)} MB above rest`);
assert.ok(memory < 60_000_000, "tiny chunks take memory");

/** How long `JSON.parse` alone takes, at best. */
function parsingMs(body: string): number {
  const times = Array.from({ length: 5 }, () => {
    const startedAt = performance.now();
    try {
      JSON.parse(body);
    } catch {
      // Most of these bodies are not JSON.
    }
    return performance.now() - startedAt;
  });
  return Math.min(...times);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
