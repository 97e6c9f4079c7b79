import { createHmac } from "node:crypto";
import { createSandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { tamperedWebhook } from "../../../src/sandbox/webhooks/disorder.ts";
import { create, newYear } from "../merchant.ts";
import { createPaid, type Seen, sandboxWithShop } from "./verifying-shop.ts";

it.each([
  ["body", 0],
  ["signature", 0.5],
  ["timestamp", 0.9],
] as const)("a webhook whose %s is tampered with differs in one character", (part, random) => {
  const headers = { "X-Service-Signature": "v1=ab", "X-Service-Timestamp": "1767225600" };
  const before = { headers, body: '{"a":1}' };
  const after = tamperedWebhook(before, () => random);
  expect(after.tampered).toBe(part);
  const [sent, changed] = [before, after].map((it) =>
    [it.body, ...Object.values(it.headers)].join(),
  );
  const differences = [...String(sent)].filter(
    (character, index) => character !== changed?.[index],
  );
  expect([changed?.length, differences.length]).toEqual([sent?.length, 1]);
});

describe("a disordered webhook", () => {
  it("is sent twice, byte for byte, and both attempts are recorded", async () => {
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

  it("is not sent the second time if the sandbox was reset in between", async () => {
    let sent = 0;
    const sandbox = createSandbox({
      deliver: () => {
        sent += 1;
        sandbox.reset();
        return new Response();
      },
    });
    sandbox.webhooks.disorder("duplicate");
    await create(sandbox);
    await sandbox.webhooks.idle();
    expect(sent).toBe(1);
  });

  it("is retried as often as usual; duplicates do not count", async () => {
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

  it("is sent after the next one of its payment when it is held back", async () => {
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

  it("is held back until a newer one of its payment is sent, even while an older one is in flight", async () => {
    const told: string[] = [];
    const { promise: ready, resolve: answer } = Promise.withResolvers<void>();
    const deliver = async (request: Request) => {
      told.push((await request.json()).data.status);
      await ready;
      return new Response();
    };
    const sandbox = createSandbox({ now: newYear, deliver });
    sandbox.webhooks.disorder("reorder", { event: "payment.updated" });
    const { paymentId } = await create(sandbox);
    await sandbox.payments.simulate(paymentId, "success", { steps: "by-hand" });
    await sandbox.payments.step(paymentId);
    answer();
    await sandbox.webhooks.idle();
    expect(told).toEqual(["pending"]);
    for (const _ of sandbox.payments.upcoming(paymentId)) await sandbox.payments.step(paymentId);
    await sandbox.webhooks.idle();
    expect(told).toEqual(["pending", "completed", "processing"]);
  });

  it("is held back again when a snapshot is restored", async () => {
    const { sandbox, told } = sandboxWithShop();
    sandbox.webhooks.disorder("reorder");
    const { paymentId } = await create(sandbox);
    const snapshot = sandbox.snapshot();
    for (let index = 0; index < 2; index++) {
      sandbox.restore(snapshot);
      await sandbox.payments.simulate(paymentId, "success");
      await sandbox.webhooks.idle();
    }
    expect(told()).toEqual(["completed", "pending", "completed", "pending"]);
  });

  it("is held back for a minute when no other one is sent", async () => {
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

  it("is overtaken while delayed, and signed when sent", async () => {
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
  ] as const)("is refused with %s, and accepted on the retry", async (kind, reason) => {
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

  it("is recorded exactly as it was sent", async () => {
    const { sandbox, seen } = sandboxWithShop({ seed: "kept" });
    for (const kind of ["tamper", "stale-timestamp", "wrong-secret", "duplicate"] as const) {
      sandbox.webhooks.disorder(kind, { event: "payment.updated" });
    }
    for (let index = 0; index < 4; index++) await createPaid(sandbox);
    await sandbox.clock.advance("1m");
    const lower = (headers: Record<string, string>) =>
      Object.fromEntries(
        Object.entries(headers)
          .map(([name, value]) => [name.toLowerCase(), value] as const)
          .sort(),
      );
    const kept = sandbox.webhooks
      .deliveries()
      .flatMap(({ attempts }) => attempts.map(({ request }) => request));
    const byText = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
    expect(
      kept.map(({ body, headers }) => ({ body, headers: lower(headers) })).sort(byText),
    ).toEqual(seen.map(({ body, headers }) => ({ body, headers: lower(headers) })).sort(byText));
  });

  it("is signed with the time of ten minutes ago, or with another secret", async () => {
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
