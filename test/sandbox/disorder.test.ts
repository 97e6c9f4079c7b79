import { createHmac } from "node:crypto";
import {
  createSandbox,
  type DisorderKind,
  type DisorderOptions,
  type Sandbox,
  type SandboxOptions,
} from "settlekit/sandbox";
import { Webhooks } from "settlekit/webhooks";
import { describe, expect, it } from "vitest";
import { create, newYear } from "./merchant.ts";

interface Seen {
  readonly body: string;
  readonly headers: Record<string, string>;
  /** What a merchant's verifier made of it. */
  readonly verdict: string;
}

/** A sandbox and a shop that verifies what it is sent, and answers as it should. */
function sandboxWithShop(options: SandboxOptions = {}) {
  const seen: Seen[] = [];
  const webhooks = new Webhooks({
    secret: () => sandbox.webhookSecret,
    now: () => sandbox.clock.now(),
  });
  const sandbox: Sandbox = createSandbox({
    now: newYear,
    async deliver(request) {
      const headers = Object.fromEntries(request.headers);
      const body = await request.text();
      const result = await webhooks.safeVerify({ body, headers });
      seen.push({ body, headers, verdict: result.ok ? "ok" : result.reason });
      return new Response("heard", { status: result.ok ? 200 : 401 });
    },
    ...options,
  });
  const told = () => seen.map(({ body }) => /"status":"(\w+)"/.exec(body)?.[1]);
  return { sandbox, seen, told };
}

async function createPaid(sandbox: Sandbox) {
  const { paymentId } = await create(sandbox);
  await sandbox.payments.simulate(paymentId, "success");
  await sandbox.webhooks.idle();
}

describe("a disordered webhook", () => {
  it("comes twice, byte for byte, and both attempts are kept", async () => {
    const { sandbox, seen } = sandboxWithShop();
    sandbox.webhooks.disorder("duplicate");
    await createPaid(sandbox);
    expect(seen.map(({ verdict }) => verdict)).toEqual(["ok", "ok", "ok"]);
    expect(seen[1]).toEqual(seen[0]);
    const [first, second] = sandbox.webhooks.deliveries();
    expect(first).toMatchObject({
      status: "delivered",
      attempts: [{ disorder: null }, { disorder: "duplicate", status: 200 }],
    });
    expect(first?.attempts[1]?.request).toEqual(first?.attempts[0]?.request);
    expect(second?.attempts).toHaveLength(1);
  });

  it("is sent again as often as ever, duplicates not counted", async () => {
    const sandbox = createSandbox({
      now: newYear,
      deliver: () => new Response("", { status: 500 }),
    });
    sandbox.webhooks.disorder("duplicate");
    await create(sandbox, { type: "deposit" });
    await sandbox.webhooks.idle();
    await sandbox.clock.advance("1d");
    const [delivery] = sandbox.webhooks.deliveries();
    expect(delivery?.attempts.map(({ at, disorder }) => [at.slice(11, 19), disorder])).toEqual([
      ["00:00:00", null],
      ["00:00:00", "duplicate"],
      ["00:00:30", null],
      ["00:02:30", null],
      ["00:10:30", null],
      ["00:42:30", null],
    ]);
  });

  it("comes after the next one of its payment when it is held back", async () => {
    const { sandbox, told } = sandboxWithShop();
    sandbox.webhooks.disorder("reorder", { event: "payment.created" });
    const { paymentId } = await create(sandbox);
    await sandbox.webhooks.idle();
    expect(told()).toEqual([]);
    await create(sandbox, { orderId: "other" });
    await sandbox.webhooks.idle();
    expect(told()).toEqual(["pending"]);
    await sandbox.payments.simulate(paymentId, "success");
    await sandbox.webhooks.idle();
    expect(told()).toEqual(["pending", "completed", "pending"]);
    expect(await sandbox.clock.advance("5m")).toEqual([]);
    expect(sandbox.webhooks.deliveries().map(({ status }) => status)).toEqual(
      Array(3).fill("delivered"),
    );
  });

  it("is held back for a minute where no other one comes", async () => {
    const { sandbox, told } = sandboxWithShop();
    sandbox.webhooks.disorder("reorder");
    await create(sandbox);
    expect(sandbox.webhooks.deliveries()).toMatchObject([
      { status: "pending", attempts: [], nextAttemptAt: "2026-01-01T00:01:00.000Z" },
    ]);
    const happened = await sandbox.clock.advance("1m");
    expect(happened).toMatchObject([{ type: "webhook.attempted", disorder: "reorder" }]);
    expect(told()).toEqual(["pending"]);
  });

  it("is overtaken while it is delayed, and signed when it is sent", async () => {
    const { sandbox, seen, told } = sandboxWithShop();
    sandbox.webhooks.disorder("delay", { by: "20m" });
    await createPaid(sandbox);
    await sandbox.clock.advance("20m");
    expect(told()).toEqual(["completed", "pending"]);
    expect(seen.map(({ verdict }) => verdict)).toEqual(["ok", "ok"]);
    expect(sandbox.webhooks.deliveries()[0]?.attempts).toMatchObject([
      { at: "2026-01-01T00:20:00.000Z", disorder: "delay" },
    ]);
  });

  it.each([
    ["tamper", /signature|timestamp|json/],
    ["stale-timestamp", /^timestamp_too_old$/],
    ["wrong-secret", /^signature_mismatch$/],
  ] as const)("is refused with %s, and accepted when it is sent again", async (kind, reason) => {
    const { sandbox, seen } = sandboxWithShop();
    sandbox.webhooks.disorder(kind, { times: 2 });
    await createPaid(sandbox);
    expect(seen).toHaveLength(2);
    for (const { verdict } of seen) expect(verdict).toMatch(reason);
    await sandbox.clock.advance("30s");
    expect(seen.slice(2).map(({ verdict }) => verdict)).toEqual(["ok", "ok"]);
    for (const { status, attempts } of sandbox.webhooks.deliveries()) {
      expect(status).toBe("delivered");
      expect(attempts).toMatchObject([
        { disorder: kind, status: 401, answer: { body: "heard" } },
        { disorder: null, status: 200 },
      ]);
    }
  });

  it("keeps of every attempt what was really sent", async () => {
    const { sandbox, seen } = sandboxWithShop({ seed: "kept" });
    for (const kind of ["tamper", "stale-timestamp", "wrong-secret", "duplicate"] as const) {
      sandbox.webhooks.disorder(kind, { event: "payment.updated" });
    }
    for (let index = 0; index < 4; index++) await createPaid(sandbox);
    await sandbox.clock.advance("1m");
    const lower = (headers: Record<string, string>) =>
      Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      );
    const kept = sandbox.webhooks
      .deliveries()
      .flatMap(({ attempts }) => attempts.map(({ request }) => request));
    const byText = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
    expect(
      kept.map(({ body, headers }) => ({ body, headers: lower(headers) })).sort(byText),
    ).toEqual(seen.map(({ body, headers }) => ({ body, headers: lower(headers) })).sort(byText));
  });

  it("is really signed, ten minutes before or by a stranger", async () => {
    const { sandbox, seen } = sandboxWithShop();
    sandbox.webhooks.disorder("stale-timestamp");
    sandbox.webhooks.disorder("wrong-secret");
    await createPaid(sandbox);
    const [stale, foreign] = seen as [Seen, Seen];
    const digest = ({ headers, body }: Seen) =>
      createHmac("sha256", sandbox.webhookSecret)
        .update(`${headers["x-service-timestamp"]}.${body}`)
        .digest("hex");
    expect(Number(stale.headers["x-service-timestamp"])).toBe(newYear.getTime() / 1000 - 600);
    expect(stale.headers["x-service-signature"]).toBe(digest(stale));
    expect(Number(foreign.headers["x-service-timestamp"])).toBe(newYear.getTime() / 1000);
    expect(foreign.headers["x-service-signature"]).not.toBe(digest(foreign));
  });
});

describe("the disorder that waits", () => {
  it("is met in its order, once each, by the events that it is for", async () => {
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

  it("is left to chance, which the seed decides", async () => {
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

  it("alters a webhook in the same way, however fast others are answered", async () => {
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

  it("is taken back, forgotten by a reset, and back with a snapshot", async () => {
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

  it("waits on where nothing is sent", async () => {
    const sandbox = createSandbox();
    sandbox.webhooks.disorder("duplicate");
    await create(sandbox);
    expect(sandbox.webhooks.disorders()).toHaveLength(1);
  });

  it("of a delivery on its way outlasts a snapshot", async () => {
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
    ["duration", "invalid_duration", ["delay", { by: "soon" }]],
    ["times", "invalid_disorder", ["delay", { times: 0 }]],
    ["probability", "invalid_disorder", ["delay", { probability: 2 }]],
  ] as const)("is refused with a %s that cannot be", (param, code, [kind, options]) => {
    const { webhooks } = createSandbox();
    expect(() => webhooks.disorder(kind as DisorderKind, options as DisorderOptions)).toThrow(
      expect.objectContaining({ name: "InvalidRequestError", code, param }),
    );
    expect(webhooks.disorders()).toEqual([]);
  });
});

describe("a replay with disorder", () => {
  it("sends the event once more, and that goes wrong", async () => {
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

  it("is given before its attempt where it is delayed", async () => {
    const { sandbox, seen } = sandboxWithShop();
    await create(sandbox);
    await sandbox.webhooks.idle();
    const id = sandbox.webhooks.deliveries()[0]?.id ?? "";
    const again = await sandbox.webhooks.replay(id, { disorder: "delay", by: "5s" });
    expect(again).toMatchObject({ attempts: [], nextAttemptAt: "2026-01-01T00:00:05.000Z" });
    await sandbox.clock.advance("5s");
    expect(seen).toHaveLength(2);
  });

  it("leaves alone what waits for new events", async () => {
    const { sandbox } = sandboxWithShop();
    await create(sandbox);
    await sandbox.webhooks.idle();
    sandbox.webhooks.disorder("tamper");
    await sandbox.webhooks.replay(sandbox.webhooks.deliveries()[0]?.id ?? "");
    expect(sandbox.webhooks.disorders()).toHaveLength(1);
  });

  it("is refused where the disorder cannot be, and sends nothing", async () => {
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
