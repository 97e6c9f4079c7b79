import { createSandbox, type DisorderKind, type DisorderOptions } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { create, newYear } from "../merchant.ts";
import { createPaid, sandboxWithShop } from "./verifying-shop.ts";

describe("queued disorder", () => {
  it("applies in order to the events that it matches, as many times as given", async () => {
    const { sandbox } = sandboxWithShop();
    const { webhooks } = sandbox;
    webhooks.disorder("tamper", { event: "payment.updated" });
    webhooks.disorder("duplicate", { times: 2 });
    expect(webhooks.disorders()).toEqual([
      { kind: "tamper", event: "payment.updated", byMs: 0, times: 1, probability: 1 },
      { kind: "duplicate", event: null, byMs: 0, times: 2, probability: 1 },
    ]);
    await createPaid(sandbox);
    await createPaid(sandbox);
    const met = webhooks
      .deliveries()
      .map(({ attempts }) => attempts.map(({ disorder }) => disorder ?? "none").join(" "));
    expect(met).toEqual(["none duplicate", "tamper", "none duplicate", "none"]);
    expect(webhooks.disorders()).toEqual([]);
  });

  it("applies by probability, decided by the seed", async () => {
    const played = async (seed: number) => {
      const { sandbox } = sandboxWithShop({ seed });
      sandbox.webhooks.disorder("wrong-secret", { probability: 0.3 });
      for (let index = 0; index < 20; index++) await createPaid(sandbox);
      return sandbox.webhooks.deliveries().map(({ attempts }) => attempts[0]?.disorder);
    };
    const first = await played(1);
    expect(first).toEqual(await played(1));
    expect(first).not.toEqual(await played(2));
    expect(new Set(first)).toEqual(new Set([null, "wrong-secret"]));
  });

  it("tampers with a webhook in the same way, however fast others are answered", async () => {
    const tampered = async (slowFirst: boolean) => {
      const bodies = new Map<string, string>();
      const sandbox = createSandbox({
        seed: "slow",
        now: newYear,
        async deliver(request) {
          if (slowFirst && bodies.size === 0) await new Promise(setImmediate);
          const headers = JSON.stringify([...request.headers]);
          bodies.set(
            request.headers.get("x-service-delivery-id") ?? "",
            headers + (await request.text()),
          );
          return new Response(null, { status: 401 });
        },
      });
      sandbox.webhooks.disorder("tamper", { times: 40 });
      for (let index = 0; index < 20; index++) await create(sandbox);
      await sandbox.webhooks.idle();
      return Object.fromEntries([...bodies].sort());
    };
    expect(await tampered(true)).toEqual(await tampered(false));
  });

  it("can be cleared, is discarded by a reset and restored by a snapshot", async () => {
    const { sandbox } = sandboxWithShop();
    const { webhooks } = sandbox;
    webhooks.disorder("duplicate");
    webhooks.clearDisorders();
    expect(webhooks.disorders()).toEqual([]);
    webhooks.disorder("delay");
    const snapshot = sandbox.snapshot();
    sandbox.reset();
    expect(webhooks.disorders()).toEqual([]);
    sandbox.restore(snapshot);
    expect(webhooks.disorders()).toMatchObject([{ kind: "delay", byMs: 60_000 }]);
  });

  it("stays queued when nothing is sent", async () => {
    const sandbox = createSandbox();
    sandbox.webhooks.disorder("duplicate");
    await create(sandbox);
    expect(sandbox.webhooks.disorders()).toHaveLength(1);
  });

  it("of a delayed delivery is restored by a snapshot", async () => {
    const { sandbox, told } = sandboxWithShop();
    sandbox.webhooks.disorder("delay");
    await create(sandbox);
    const snapshot = sandbox.snapshot();
    await sandbox.clock.advance("1m");
    sandbox.restore(snapshot);
    await sandbox.clock.advance("1m");
    expect(told()).toEqual(["pending", "pending"]);
  });

  it.each([
    ["kind", "unknown_disorder", ["scramble"]],
    ["event", "invalid_disorder", ["tamper", { event: "payment.refunded" }]],
    ["by", "invalid_disorder", ["tamper", { by: "1m" }]],
    ["by", "invalid_disorder", ["delay", { by: "100000000d" }]],
    ["duration", "invalid_duration", ["delay", { by: "soon" }]],
    ["times", "invalid_disorder", ["delay", { times: 0 }]],
    ["probability", "invalid_disorder", ["delay", { probability: 2 }]],
  ] as const)("is refused with an invalid %s", (param, code, [kind, options]) => {
    const { webhooks } = createSandbox();
    expect(() => webhooks.disorder(kind as DisorderKind, options as DisorderOptions)).toThrow(
      expect.objectContaining({ name: "InvalidRequestError", code, param }),
    );
    expect(webhooks.disorders()).toEqual([]);
  });

  it("suggests the webhook of every change of status for the sandbox's own event", () => {
    const disorder = () =>
      createSandbox().webhooks.disorder("delay", { event: "payment.moved" as "payment.created" });
    expect(disorder).toThrow('There is no event "payment.moved". Did you mean payment.updated?');
  });
});

describe("a replay with disorder", () => {
  it("sends the event once more, with the disorder", async () => {
    const { sandbox, seen } = sandboxWithShop();
    await create(sandbox);
    await sandbox.webhooks.idle();
    const id = sandbox.webhooks.deliveries()[0]?.id ?? "";
    const again = await sandbox.webhooks.replay(id, { disorder: "stale-timestamp", by: "1d" });
    expect(again.attempts).toMatchObject([{ disorder: "stale-timestamp", status: 401 }]);
    expect(seen.at(-1)?.verdict).toBe("timestamp_too_old");
    expect(Number(seen.at(-1)?.headers["x-service-timestamp"])).toBe(
      newYear.getTime() / 1000 - 86_400,
    );
  });

  it("returns before its attempt when it is delayed", async () => {
    const { sandbox, seen } = sandboxWithShop();
    await create(sandbox);
    await sandbox.webhooks.idle();
    const id = sandbox.webhooks.deliveries()[0]?.id ?? "";
    const again = await sandbox.webhooks.replay(id, { disorder: "delay", by: "5s" });
    expect(again).toMatchObject({ attempts: [], nextAttemptAt: "2026-01-01T00:00:05.000Z" });
    await sandbox.clock.advance("5s");
    expect(seen).toHaveLength(2);
  });

  it("does not consume disorder that is queued for new events", async () => {
    const { sandbox } = sandboxWithShop();
    await create(sandbox);
    await sandbox.webhooks.idle();
    sandbox.webhooks.disorder("tamper");
    await sandbox.webhooks.replay(sandbox.webhooks.deliveries()[0]?.id ?? "");
    expect(sandbox.webhooks.disorders()).toHaveLength(1);
  });

  it("is refused with an unknown disorder, and sends nothing", async () => {
    const { sandbox, seen } = sandboxWithShop();
    await create(sandbox);
    await sandbox.webhooks.idle();
    const id = sandbox.webhooks.deliveries()[0]?.id ?? "";
    const disorder = "scramble" as DisorderKind;
    await expect(sandbox.webhooks.replay(id, { disorder })).rejects.toMatchObject({
      code: "unknown_disorder",
    });
    expect(seen).toHaveLength(1);
  });
});
