import fc from "fast-check";
import { createSandbox } from "settlekit/sandbox";
import { describe, expect, it, vi } from "vitest";
import { ask } from "../customer.ts";
import { create, list, newYear, read } from "../merchant.ts";
import { anyStep, everythingOf, takeSteps } from "./steps.ts";

describe("restoring a snapshot", () => {
  const options = { seed: "snapshot", now: newYear };
  const refuse = () => new Response(null, { status: 500 });

  it("restores everything that the sandbox shows, and the same calls then return the same, any number of times", async () => {
    const steps = fc.array(anyStep, { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(steps, steps, async (before, after) => {
        const sandbox = createSandbox({ ...options, deliver: refuse, merchants: [{}, {}] });
        await takeSteps(sandbox, before);
        const shown = await everythingOf(sandbox);
        const snapshot = sandbox.snapshot();
        const first = await takeSteps(sandbox, after);
        for (let index = 0; index < 2; index++) {
          sandbox.restore(snapshot);
          expect(await everythingOf(sandbox)).toBe(shown);
          expect(await takeSteps(sandbox, after)).toEqual(first);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("works after a reset, and with an earlier or a later snapshot", async () => {
    const sandbox = createSandbox({ ...options });
    const empty = sandbox.snapshot();
    const { paymentId } = await create(sandbox);
    const open = sandbox.snapshot();
    await sandbox.payments.simulate(paymentId, "success");
    const paid = sandbox.snapshot();
    sandbox.reset();
    for (const [snapshot, statuses] of [
      [paid, ["completed"]],
      [empty, []],
      [open, ["pending"]],
      [paid, ["completed"]],
    ] as const) {
      sandbox.restore(snapshot);
      expect((await list(sandbox)).data.map(({ status }) => status)).toEqual(statuses);
    }
  });

  it("serves the customers of payments in the snapshot, and no others", async () => {
    const sandbox = createSandbox();
    const early = await create(sandbox);
    const snapshot = sandbox.snapshot();
    const late = await create(sandbox);
    sandbox.reset();
    sandbox.restore(snapshot);
    expect((await ask(sandbox, early, "/status")).status).toBe(200);
    expect((await ask(sandbox, late, "/status")).status).toBe(404);
  });

  it("undoes a clock advance, and real time continues", async () => {
    const sandbox = createSandbox();
    const snapshot = sandbox.snapshot();
    expect(Math.abs(Date.parse(snapshot.takenAt) - Date.now())).toBeLessThan(3_600_000);
    await sandbox.clock.advance("1d");
    sandbox.restore(snapshot);
    expect(Math.abs(sandbox.clock.now().getTime() - Date.now())).toBeLessThan(3_600_000);
  });

  it("stops advances that were called before, even those that wait for their turn, as a reset does", async () => {
    const sandbox = createSandbox({ now: newYear });
    const snapshot = sandbox.snapshot();
    for (const replace of [sandbox.reset, () => sandbox.restore(snapshot)]) {
      await create(sandbox);
      const advances = [sandbox.clock.advance("1d"), sandbox.clock.advance("1d")];
      replace();
      expect(await Promise.all(advances)).toEqual([[], []]);
      expect(sandbox.clock.now()).toEqual(newYear);
    }
    await sandbox.clock.advance("1d");
    expect(sandbox.clock.now()).not.toEqual(newYear);
  });

  it("schedules due work again on a running clock", async () => {
    vi.useFakeTimers({ now: newYear });
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    const snapshot = sandbox.snapshot();
    sandbox.reset();
    expect(vi.getTimerCount()).toBe(0);
    sandbox.restore(snapshot);
    await vi.advanceTimersByTimeAsync(15 * 60_000);
    expect(sandbox.payments.all()).toMatchObject([{ id: paymentId, status: "expired" }]);
    vi.useRealTimers();
  });

  it("resends webhooks that were in flight, whether a first attempt or a retry", async () => {
    let answer = Promise.withResolvers<Response>();
    const seen: string[] = [];
    const sandbox = createSandbox({
      now: newYear,
      deliver: async (request) => {
        seen.push(request.headers.get("x-service-delivery-id") ?? "");
        return answer.promise;
      },
    });
    await create(sandbox);
    await vi.waitFor(() => expect(seen).toHaveLength(1));
    const first = sandbox.snapshot();
    answer.resolve(new Response(null, { status: 500 }));
    await sandbox.webhooks.idle();

    answer = Promise.withResolvers();
    const travel = sandbox.clock.advance("30s");
    await vi.waitFor(() => expect(seen).toHaveLength(2));
    const second = sandbox.snapshot();
    answer.resolve(new Response());
    await travel;

    for (const [snapshot, attempts] of [
      [first, 1],
      [second, 2],
    ] as const) {
      sandbox.restore(snapshot);
      await sandbox.webhooks.idle();
      const [delivery] = sandbox.webhooks.deliveries();
      expect(delivery).toMatchObject({ status: "delivered", nextAttemptAt: null });
      expect(delivery?.attempts).toHaveLength(attempts);
    }
    const [one, two] = seen;
    expect(one).not.toBe(two);
    expect(seen).toEqual([one, two, one, two]);
  });

  it("does not resend a webhook that is still in flight", async () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    let count = 0;
    const sandbox = createSandbox({
      deliver: () => {
        count++;
        return promise;
      },
    });
    await create(sandbox);
    await vi.waitFor(() => expect(count).toBe(1));
    sandbox.restore(sandbox.snapshot());
    resolve(new Response());
    await sandbox.webhooks.idle();
    expect(count).toBe(1);
    expect(sandbox.webhooks.deliveries()).toMatchObject([{ status: "delivered" }]);
  });

  it("does not send a queued webhook that the snapshot does not contain", async () => {
    const answers: (() => void)[] = [];
    const sandbox = createSandbox({
      deliver: () =>
        new Promise((resolve) => {
          answers.push(() => resolve(new Response()));
        }),
    });
    const empty = sandbox.snapshot();
    const { paymentId } = await create(sandbox);
    await sandbox.payments.simulate(paymentId, "success");
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    sandbox.restore(empty);
    answers[0]?.();
    await sandbox.webhooks.idle();
    expect(answers).toHaveLength(1);
  });

  it("is refused with the snapshot of another sandbox, or a copy of one", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { paymentId } = await create(sandbox);
    const foreign = createSandbox({ now: newYear }).snapshot();
    for (const snapshot of [foreign, { ...sandbox.snapshot() }]) {
      expect(() => sandbox.restore(snapshot)).toThrow(
        expect.objectContaining({ name: "InvalidRequestError", code: "foreign_snapshot" }),
      );
    }
    expect((await read(sandbox, paymentId)).status).toBe("pending");
  });
});

it.each([
  ["restore", "00:00:00"],
  ["load", "00:00:00"],
  ["reset", "00:15:00"],
] as const)("%s ends an advance in progress, and leaves the time at %s", async (name, time) => {
  const expiry = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Response>();
  const sandbox = createSandbox({
    now: newYear,
    async deliver(request) {
      if (!(await request.text()).includes("expired")) return new Response();
      expiry.resolve();
      return answer.promise;
    },
  });
  await create(sandbox);
  await sandbox.webhooks.idle();
  const snapshot = sandbox.snapshot();
  const saved = sandbox.save();
  const advance = sandbox.clock.advance("1h");
  await expiry.promise;
  if (name === "restore") sandbox.restore(snapshot);
  else if (name === "load") sandbox.load(saved);
  else sandbox.reset();
  answer.resolve(new Response());
  await advance;
  expect(sandbox.clock.now().toISOString()).toBe(`2026-01-01T${time}.000Z`);
});
