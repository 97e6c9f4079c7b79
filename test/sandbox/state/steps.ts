import fc from "fast-check";
import type { Sandbox } from "settlekit/sandbox";
import { order, origin, paymentsPath, payout, withdrawalsPath } from "../merchant.ts";

/** An action on a sandbox. Generated numbers choose among the objects that exist when it runs. */
export type Step = (sandbox: Sandbox) => Promise<unknown>;

async function call(
  sandbox: Sandbox,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: unknown },
): Promise<unknown> {
  const request = new Request(origin + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { "Content-Type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const response = await sandbox.fetch(request);
  return { status: response.status, headers: [...response.headers], body: await response.text() };
}

function pick<Item>(items: readonly Item[], choice: number): Item | undefined {
  return items[choice % items.length];
}

/** Any of the merchants, with one of two idempotency keys or none. */
const caller = fc.record({
  merchant: fc.nat(3),
  key: fc.option(fc.constantFrom("key-1", "key-2"), { nil: undefined }),
});

function credentials(
  sandbox: Sandbox,
  { merchant, key }: { merchant: number; key?: string | undefined },
) {
  const { secretKey = "" } = pick(sandbox.merchants, merchant) ?? {};
  return {
    "X-Service-Secret-Key": secretKey,
    ...(key === undefined ? {} : { "Idempotency-Key": key }),
  };
}

const creation: fc.Arbitrary<Step> = fc
  .record({
    who: caller,
    type: fc.constantFrom("payment", "deposit"),
    amount: fc.integer({ min: 200, max: 9_999 }),
  })
  .map(({ who, ...fields }) => (sandbox) => {
    const body = {
      ...order,
      ...fields,
      redirectUrl: "https://shop.example/",
      customMetadata: "[1]",
    };
    return call(sandbox, paymentsPath, { headers: credentials(sandbox, who), body });
  });

const withdrawal: fc.Arbitrary<Step> = caller.map(
  (who) => (sandbox) =>
    call(sandbox, withdrawalsPath, { headers: credentials(sandbox, who), body: payout }),
);

const listing: fc.Arbitrary<Step> = fc
  .tuple(caller, fc.constantFrom(`${paymentsPath}?sortBy=amountInCents`, withdrawalsPath))
  .map(
    ([who, path]) =>
      (sandbox) =>
        call(sandbox, path, { headers: credentials(sandbox, who) }),
  );

const payment: fc.Arbitrary<Step> = fc
  .record({
    choice: fc.nat(9),
    scenario: fc.constantFrom("success", "underpayment", "timeout", "late"),
    steps: fc.constantFrom("at-once", "on-clock", "by-hand"),
  })
  .map(({ choice, scenario, steps }) => async (sandbox) => {
    const { id = "none" } = pick(sandbox.payments.all(), choice) ?? {};
    return sandbox.payments.simulate(id, scenario, { steps }).catch(String);
  });

const paymentStep: fc.Arbitrary<Step> = fc.nat(9).map((choice) => async (sandbox) => {
  const { id = "none" } = pick(sandbox.payments.all(), choice) ?? {};
  return sandbox.payments.step(id).catch(String);
});

const payoutOutcome: fc.Arbitrary<Step> = fc
  .record({
    choice: fc.nat(9),
    scenario: fc.constantFrom("process", "complete", "fail", "cancel"),
    steps: fc.constantFrom("at-once", "on-clock", "by-hand"),
  })
  .map(({ choice, scenario, steps }) => async (sandbox) => {
    const { id = "none" } = pick(sandbox.withdrawals.all(), choice) ?? {};
    return sandbox.withdrawals.simulate(id, scenario, { steps }).catch(String);
  });

const advance: fc.Arbitrary<Step> = fc
  .constantFrom("3s", "31s", "6m", "10m", "1d")
  .map((duration) => (sandbox) => sandbox.clock.advance(duration));

const fault: fc.Arbitrary<Step> = fc
  .record({
    times: fc.constantFrom(1, 2, Number.POSITIVE_INFINITY),
    probability: fc.constantFrom(0.5, 1),
    when: fc.constantFrom("before", "after"),
  })
  .map(
    ({ when, ...options }) =>
      async (sandbox) =>
        sandbox.faults.next("POST /payments", { status: 503, when }, options),
  );

const setting: fc.Arbitrary<Step> = fc
  .constantFrom("ignored", "honoured", "conflict")
  .map((value) => async (sandbox) => {
    sandbox.withdrawalIdempotency = value;
  });

/** After a reset, a sandbox without a seed draws new ids. */
export const reset: Step = async (sandbox) => sandbox.reset();

const forgetting: fc.Arbitrary<Step> = fc.constantFrom<Step>(
  async (sandbox) => sandbox.faults.clear(),
  reset,
);

/** Any step. Creations are the most frequent, because other steps need them. */
export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: creation },
  { weight: 3, arbitrary: withdrawal },
  { weight: 2, arbitrary: listing },
  { weight: 3, arbitrary: payment },
  { weight: 2, arbitrary: paymentStep },
  { weight: 2, arbitrary: payoutOutcome },
  { weight: 3, arbitrary: advance },
  { weight: 1, arbitrary: fault },
  { weight: 1, arbitrary: setting },
  { weight: 1, arbitrary: forgetting },
);

/** Takes the steps in order; returns each result as JSON, without sequence numbers, which no restore turns back. */
export async function takeSteps(sandbox: Sandbox, steps: readonly Step[]): Promise<string[]> {
  const seen: string[] = [];
  for (const step of steps) {
    const isNumber = (name: string) => name === "sequence" || name === "clockSequence";
    const kept = (name: string, value: unknown) => (isNumber(name) ? undefined : value);
    seen.push(JSON.stringify(await step(sandbox), kept) ?? "nothing");
    await sandbox.webhooks.idle();
  }
  return seen;
}

/** Everything that a sandbox shows, as JSON. Durations are zeroed, because they vary. */
export async function everythingOf(sandbox: Sandbox): Promise<string> {
  await sandbox.webhooks.idle();
  const shown = {
    merchants: sandbox.merchants,
    now: sandbox.clock.now(),
    payments: sandbox.payments.all(),
    withdrawals: sandbox.withdrawals.all(),
    requests: sandbox.requests(),
    deliveries: sandbox.webhooks.deliveries(),
    faults: sandbox.faults.waiting(),
    withdrawalIdempotency: sandbox.withdrawalIdempotency,
  };
  return JSON.stringify(shown, (name, value) => (name === "durationMs" ? 0 : value), 1);
}
