import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { OutcomeUnknownError, SettlekitError, UnexpectedResponseError } from "../../src/errors.ts";
import type { ClientEvent } from "../../src/http/events.ts";
import { Http } from "../../src/http/http.ts";
import { configure } from "../../src/options.ts";
import { Payments } from "../../src/resources/payments.ts";
import { Withdrawals } from "../../src/resources/withdrawals.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.ts";
import { payout } from "../resources/payouts/payout.ts";
import { type Fault, type FaultyService, faultyService } from "./faulty-service.ts";
import { skippingTime } from "./skipping-time.ts";

// 64 on every test run, 2,000 in the full check.
const runs = Number(process.env.SETTLEKIT_FAULT_RUNS ?? 64);
const lanes = 8;
const seed = Number(process.env.SETTLEKIT_TEST_SEED);

const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.constant({ kind: "none" } as const),
  fc.constant({ kind: "refused" } as const),
  fc.record({ kind: fc.constant("reset"), when: fc.constantFrom("before", "after", "mid-answer") }),
  fc.record({
    kind: fc.constant("status"),
    status: fc.constantFrom(500, 502, 503, 504),
    when: fc.constantFrom("before", "after"),
  }),
  fc.record({
    kind: fc.constant("limited"),
    retryAfter: fc.constantFrom(undefined, "0", "1", "200"),
  }),
  fc.record({ kind: fc.constant("silence"), commits: fc.constantFrom("never", "at once", "late") }),
  fc.constant({ kind: "truncated" } as const),
  fc.record({ kind: fc.constant("html"), status: fc.constantFrom(200, 403, 502) }),
  fc.constant({ kind: "fields missing" } as const),
  fc.constant({ kind: "answered twice" } as const),
  fc.record({ kind: fc.constant("clock jump"), days: fc.constantFrom(-400, -1, 1, 400) }),
);
const faults = fc.array(fault, { maxLength: 7 });

interface Setting {
  readonly payments: Payments;
  readonly withdrawals: Withdrawals;
  readonly events: readonly ClientEvent[];
  readonly service: FaultyService;
  readonly sandbox: Sandbox;
}

function clientFor(service: FaultyService, sandbox: Sandbox) {
  const events: ClientEvent[] = [];
  const configuration = configure(
    {
      environment: "sandbox",
      baseUrl: service.url,
      secretKey: sandbox.secretKey,
      fetch: service.fetch,
      // Short, because random faults include silence. Any other attempt that takes longer counts as silence, too.
      timeoutMs: 50,
      onEvent: (event) => events.push(event),
    },
    {},
  );
  const http = new Http(
    configuration,
    skippingTime(() => service.clockJumpMs),
  );
  return { payments: new Payments(http), withdrawals: new Withdrawals(http), events };
}

/** Runs the property in several lanes at once; a failure prints the seed and the shrunk faults. */
async function underFaults<Extra>(
  extra: fc.Arbitrary<Extra>,
  check: (setting: Setting, extra: Extra) => Promise<void>,
): Promise<void> {
  const property = fc.asyncProperty(faults, extra, async (plan, more) => {
    const sandbox = createSandbox();
    await using service = await faultyService(sandbox, plan);
    const client = clientFor(service, sandbox);
    await check({ ...client, service, sandbox }, more);
  });
  await Promise.all(
    Array.from({ length: lanes }, (_, lane) =>
      fc.assert(property, { numRuns: Math.ceil(runs / lanes), seed: seed + lane }),
    ),
  );
}

/** The objects that the sandbox holds, read without faults. */
async function truth(
  sandbox: Sandbox,
  list: "payments" | "withdrawals",
): Promise<{ id: string }[]> {
  const url = `http://sandbox/v1/external/secretkey-auth/${list}?limit=1000`;
  const headers = { "x-service-secret-key": sandbox.secretKey };
  const answer = await sandbox.fetch(new Request(url, { headers }));
  return ((await answer.json()) as { data: { id: string }[] }).data;
}

const settle = async <T>(call: Promise<T>) =>
  call.then(
    (value) => ({ ok: true, value }) as const,
    (error: unknown) => {
      expect(error).toSatisfy((thrown) => SettlekitError.is(thrown));
      return { ok: false, error: error as SettlekitError } as const;
    },
  );

/** A complete response that reached the client is its result, or is in the error. */
function expectNothingDropped(
  events: readonly ClientEvent[],
  operation: string,
  ok: boolean,
  error?: unknown,
) {
  const received = events.some(
    (event) =>
      event.type === "attempt" &&
      event.operation === operation &&
      event.status !== undefined &&
      event.status < 300 &&
      event.failure === undefined,
  );
  if (received && !ok) expect(error).toBeInstanceOf(UnexpectedResponseError);
}

/** Every start event has one end event. */
function expectBalanced(events: readonly ClientEvent[]) {
  const count = (type: string) => events.filter((event) => event.type === type).length;
  expect(count("end")).toBe(count("start"));
}

describe("the effect of each fault on a creation", () => {
  afterEach(() => vi.useRealTimers());

  test.each<[Fault, string, string, number]>([
    [{ kind: "none" }, "created", "", 1],
    [{ kind: "refused" }, "ConnectionError", "not_sent", 0],
    [{ kind: "reset", when: "before" }, "OutcomeUnknownError", "unknown", 0],
    [{ kind: "reset", when: "after" }, "OutcomeUnknownError", "unknown", 1],
    [{ kind: "reset", when: "mid-answer" }, "OutcomeUnknownError", "unknown", 1],
    [{ kind: "status", status: 503, when: "before" }, "OutcomeUnknownError", "unknown", 0],
    [{ kind: "status", status: 503, when: "after" }, "OutcomeUnknownError", "unknown", 1],
    [{ kind: "limited", retryAfter: "1" }, "RateLimitError", "rejected", 0],
    [{ kind: "silence", commits: "never" }, "OutcomeUnknownError", "unknown", 0],
    [{ kind: "silence", commits: "at once" }, "OutcomeUnknownError", "unknown", 1],
    [{ kind: "silence", commits: "late" }, "OutcomeUnknownError", "unknown", 1],
    [{ kind: "truncated" }, "OutcomeUnknownError", "unknown", 1],
    [{ kind: "html", status: 200 }, "OutcomeUnknownError", "unknown", 1],
    [{ kind: "html", status: 403 }, "OutcomeUnknownError", "unknown", 0],
    [{ kind: "html", status: 502 }, "OutcomeUnknownError", "unknown", 0],
    [{ kind: "fields missing" }, "UnexpectedResponseError", "unknown", 1],
    [{ kind: "answered twice" }, "created", "", 1],
    [{ kind: "clock jump", days: 400 }, "created", "", 1],
  ])("%o", async (fault, name, outcome, count) => {
    const sandbox = createSandbox();
    await using service = await faultyService(sandbox, [fault]);
    const { payments } = clientFor(service, sandbox);
    const order = { amount: 2500, orderId: "order_1" };
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const creating = settle(payments.create(order, { maxRetries: 0, timeoutMs: 30_000 }));
    if (fault.kind === "silence") {
      await service.silent;
      vi.advanceTimersByTime(30_000);
    }
    const result = await creating;
    await service.settled();
    expect(result.ok ? "created" : result.error.name).toBe(name);
    if (!result.ok) expect(result.error.outcome).toBe(outcome);
    expect(await truth(sandbox, "payments")).toHaveLength(count);
  });
});

describe(`any sequence of faults (${runs} runs each, seed ${seed})`, () => {
  const limit = 120_000 + runs * 500;

  test(
    "lets payments.create make at most one payment, and report when one may exist",
    async () => {
      await underFaults(fc.constant(undefined), async ({ payments, events, service, sandbox }) => {
        const input = { amount: 2500, orderId: "order_1" };
        const result = await settle(payments.create(input, { idempotencyKey: "key-1" }));
        await service.settled();
        const created = await truth(sandbox, "payments");
        if (result.ok) expect(created).toMatchObject([{ id: result.value.paymentId }]);
        else if (result.error.outcome === "unknown") expect(created.length).toBeLessThanOrEqual(1);
        else expect(created).toEqual([]);
        expectNothingDropped(events, "payments.create", result.ok, result.ok || result.error);
        expectBalanced(events);

        // What the error advises: the same call with the same key.
        const again = await settle(payments.create(input, { idempotencyKey: "key-1" }));
        await service.settled();
        const found = await truth(sandbox, "payments");
        if (again.ok) expect(found).toMatchObject([{ id: again.value.paymentId }]);
        else expect(found.length).toBeLessThanOrEqual(1);
      });
    },
    limit,
  );

  const idempotency = fc.constantFrom("ignored", "honoured", "conflict");

  test(
    "lets withdrawals.create make at most one withdrawal, and report when one may exist",
    async () => {
      await underFaults(idempotency, async ({ withdrawals, events, service, sandbox }, mode) => {
        sandbox.withdrawalIdempotency = mode;
        const result = await settle(withdrawals.create(payout));
        await service.settled();
        const created = await truth(sandbox, "withdrawals");
        if (result.ok) expect(created).toMatchObject([{ id: result.value.id }]);
        else if (result.error.outcome === "unknown") expect(created.length).toBeLessThanOrEqual(1);
        else expect(created).toEqual([]);
        expectNothingDropped(events, "withdrawals.create", result.ok, result.ok || result.error);
        expectBalanced(events);
      });
    },
    limit,
  );

  test(
    "lets createOnce return the one withdrawal, or an error after which it can be found",
    async () => {
      await underFaults(idempotency, async ({ withdrawals, events, service, sandbox }, mode) => {
        sandbox.withdrawalIdempotency = mode;
        const result = await settle(withdrawals.createOnce(payout));
        await service.settled();
        const created = await truth(sandbox, "withdrawals");
        if (result.ok) expect(created).toMatchObject([{ id: result.value.id }]);
        else if (result.error.outcome !== "unknown") expect(created).toEqual([]);
        else {
          expect(result.error).toBeInstanceOf(OutcomeUnknownError);
          expect(created.length).toBeLessThanOrEqual(1);
        }
        expectBalanced(events);

        // Once the faults are over, another call finds the withdrawal, or makes it.
        const again = await settle(withdrawals.createOnce(payout));
        await service.settled();
        const found = await truth(sandbox, "withdrawals");
        if (again.ok) expect(found).toMatchObject([{ id: again.value.id }]);
        else expect(found.length).toBeLessThanOrEqual(1);
      });
    },
    limit,
  );
});
