import fc from "fast-check";
import { expect, test } from "vitest";
import { type Outcome, SettlekitError } from "../../src/errors.ts";
import { Http } from "../../src/http/http.ts";
import type { Withdrawal } from "../../src/index.ts";
import { configure } from "../../src/options.ts";
import { Withdrawals } from "../../src/resources/withdrawals.ts";
import { payout } from "../resources/payouts/payout.ts";
import { type CreationFault, type ListFault, PayoutWorld, type Plan } from "./payout-world.ts";

// Invariants of createOnce within one process, whatever the service and its proxies do:
// 1. An order never has two withdrawals.
// 2. A withdrawal that is returned exists, and is the order's.
// 3. If every caller gets the outcome not_sent or rejected, there is none.
// 4. None is lost: when it calls again after all faults are over, every caller gets the one withdrawal.

const runs = Number(process.env.SETTLEKIT_FAULT_RUNS ?? 50);
const seed = Number(process.env.SETTLEKIT_TEST_SEED);

const creation = fc.constantFrom<CreationFault>(
  "none",
  "refused connection",
  "reset before",
  "reset after",
  "late",
  "500 before",
  "500 after",
  "HTML 403",
  "HTML 404",
  "HTML 502 after",
  "HTML 200 after",
  "redirect",
  "truncated",
  "no id",
  "differs",
  "429",
  "429 for long",
  "repeated, 429",
  "repeated, 409",
  // Often, because it is what leads to the outcome "rejected".
  "422",
  "422",
  "422",
);
const listing = fc.constantFrom<ListFault>(
  "none",
  "none",
  "none",
  "stale",
  "lagging",
  "reversed",
  "shuffled",
  "capped",
  "capped and ended",
  "empty",
  "first page again",
  "no word",
  "endless",
  "HTML 200",
  "HTML 403",
  "500",
  "429",
);
const plan: fc.Arbitrary<Plan> = fc.record({
  creations: fc.array(creation, { maxLength: 4 }),
  lists: fc.array(listing, { maxLength: 10 }),
  others: fc.integer({ min: 0, max: 5 }),
  cap: fc.integer({ min: 1, max: 4 }),
  lagMs: fc.integer({ min: 0, max: 1900 }),
});

const caller = fc.record({
  maxRetries: fc.constantFrom(0, 3),
  deadlineMs: fc.constantFrom(500, 5_000, 90_000),
  /** The turns of the event loop after which the caller begins, and aborts. */
  after: fc.integer({ min: 0, max: 30 }),
  abortAfter: fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined }),
  createdAfter: fc.option(fc.constantFrom("2025-12-31T23:00:00Z", "2026-01-01T00:00:00Z"), {
    nil: undefined,
  }),
  /** Requests another amount. */
  isOther: fc.nat({ max: 9 }).map((chance) => chance === 0),
});

type Result = { readonly withdrawal: Withdrawal } | { readonly outcome: Outcome };

let orders = 0;
/** How often each outcome occurred, to notice a run that tries nothing. */
const seen = new Map<string, number>();

test(
  `createOnce pays once, whatever happens (${runs} runs, seed ${seed})`,
  async () => {
    await fc.assert(
      fc.asyncProperty(
        plan,
        fc.array(caller, { minLength: 1, maxLength: 3 }),
        async (plan, callers) => {
          const world = new PayoutWorld(plan);
          const withdrawals = clientOf(world);
          const orderId = payout.orderId;
          const results = await Promise.all(
            callers.map(async ({ after, abortAfter, isOther, ...options }): Promise<Result> => {
              await turns(after);
              const controller = new AbortController();
              if (abortAfter !== undefined) void turns(abortAfter).then(() => controller.abort());
              const input = isOther ? { ...payout, amountInCents: 700 } : payout;
              const { signal } = controller;
              return settle(withdrawals.createOnce(input, { ...options, signal }));
            }),
          );
          const made = world.of(orderId);
          expect(made.length, "withdrawals of the order").toBeLessThanOrEqual(1);
          for (const result of results) {
            if ("withdrawal" in result) expect(result.withdrawal.id).toBe(made[0]?.id);
          }
          const outcomes = results.map((result) =>
            "outcome" in result ? result.outcome : "given",
          );
          if (outcomes.every((outcome) => outcome === "not_sent" || outcome === "rejected")) {
            expect(made, `after ${outcomes.join(", ")}`).toEqual([]);
          }
          for (const outcome of outcomes) seen.set(outcome, (seen.get(outcome) ?? 0) + 1);

          world.settle();
          // The longest pause of a client after a 429.
          await world.clock.sleep(300_000);
          expect(world.of(orderId).length).toBeLessThanOrEqual(1);
          const amountInCents = world.of(orderId)[0]?.amountInCents ?? payout.amountInCents;
          const options = { deadlineMs: 300_000 };
          const again = await Promise.all(
            callers.map(() => withdrawals.createOnce({ ...payout, amountInCents }, options)),
          );
          expect(new Set(again.map(({ id }) => id))).toEqual(
            new Set(world.of(orderId).map(({ id }) => id)),
          );
          expect(world.of(orderId)).toHaveLength(1);
        },
      ),
      { numRuns: runs, seed },
    );
    for (const outcome of ["given", "not_sent", "rejected", "unknown"]) {
      expect(seen.get(outcome), outcome).toBeGreaterThan(runs / 100);
    }
  },
  120_000 + runs * 500,
);

/** A client in this process, for a merchant of its own. */
function clientOf(world: PayoutWorld): Withdrawals {
  const configuration = configure(
    {
      environment: "sandbox",
      secretKey: `sk_test_${++orders}`,
      fetch: world.fetch,
    },
    {},
  );
  return new Withdrawals(new Http(configuration, world.clock));
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function settle(call: Promise<Withdrawal>): Promise<Result> {
  try {
    return { withdrawal: await call };
  } catch (error) {
    if (!SettlekitError.is(error)) throw error;
    return { outcome: error.outcome };
  }
}
