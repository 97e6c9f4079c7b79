import { describe, expect } from "vitest";
import { shops } from "./shop.ts";

describe.each(shops)("tasks on %s", (_, it) => {
  it("run after their transaction, with a stable key, until they succeed", async ({ shop }) => {
    const keys: string[] = [];
    shop.inbox.on("payment", "ship", { states: ["completed"] }, (_, payment, tools) => {
      tools.after("email", { orderId: payment.orderId });
      tools.after("email", { orderId: "copy" });
    });
    shop.inbox.task<{ orderId: string }>("email", ({ orderId }, { key }) => {
      keys.push(key);
      if (keys.length === 1) throw new Error(`mailbox of ${orderId} is full`);
    });
    const id = await shop.paid("order_1");
    await shop.inbox.settleDue();
    expect(keys).toEqual([
      `/payment/${id}/ship/completed/email/0`,
      `/payment/${id}/ship/completed/email/1`,
    ]);
    await shop.advance(10_000);
    await shop.inbox.settleDue();
    expect(keys[2]).toBe(keys[0]);
    expect(shop.told("claimed").at(-1)).toEqual({ type: "claimed", subjects: 0, tasks: 1 });
    expect(await shop.inbox.stats()).toMatchObject({ tasks: 0, parked: 0 });
  });

  it("are not planned by a failing effect", async ({ shop }) => {
    const ran: unknown[] = [];
    shop.inbox.task("email", (payload) => ran.push(payload));
    shop.inbox.on("payment", "ship", {}, (_tx, _payment, tools) => {
      tools.after("email");
      throw new Error("no");
    });
    await shop.paid("order_1");
    await shop.inbox.settleDue();
    expect(ran).toEqual([]);
  });

  it("without a handler fail their effect, with a hint", async ({ shop }) => {
    shop.inbox.task("email", () => {});
    shop.inbox.on("payment", "ship", {}, (_tx, _payment, tools) => tools.after("emal"));
    await shop.paid("order_1");
    await shop.inbox.settleDue();
    expect(String(shop.told("retried")[0]?.error)).toMatch(
      /handler for the task "emal".*mean "email"/,
    );
  });

  it("whose payload cannot be written as JSON fail their effect", async ({ shop }) => {
    const circular: { self?: unknown } = {};
    circular.self = circular;
    shop.inbox.task("email", () => {});
    for (const [index, payload] of [circular, { cents: 2500n }, () => {}].entries()) {
      const orders = { states: ["completed"] } as const;
      shop.inbox.on("payment", `ship-${index}`, orders, (_tx, _payment, tools) =>
        tools.after("email", payload),
      );
    }
    await shop.paid("order_1");
    await shop.inbox.settleDue();
    expect(shop.told("retried")[0]?.error).toMatchObject({
      errors: Array(3).fill(expect.objectContaining({ code: "invalid_payload" })),
    });
    expect(await shop.inbox.stats()).toMatchObject({ tasks: 0 });
  });

  it("whose handler was renamed are reported once, and count as waiting", async ({ shop }) => {
    shop.inbox.task("email", () => {
      throw new Error("The mail server is down.");
    });
    shop.inbox.on("payment", "ship", {}, (_tx, _payment, tools) => tools.after("email"));
    await shop.paid("order_1");
    await shop.inbox.settleDue();
    const next = shop.openProcess();
    next.inbox.task("send-email", () => {});
    await shop.advance(60_000);
    await next.inbox.settleDue();
    expect(next.told("failed")).toEqual([]);
    await shop.advance(86_400_000);
    for (let n = 0; n < 2; n++) await next.inbox.settleDue();
    const error = expect.objectContaining({
      code: "unhandled_task",
      message: expect.stringMatching(/them: email\./),
    });
    expect(next.told("failed")).toEqual([{ type: "failed", error }]);
    expect(await next.inbox.stats()).toMatchObject({ lagMs: 86_460_000, changed: 0 });
  });

  it("are not reported as unhandled while another worker runs them, nor once they are parked", async ({
    shop,
  }) => {
    const other = shop.openProcess();
    const tidy = async () => {
      await shop.advance(600_001);
      await other.inbox.settleDue();
    };
    shop.inbox.task("email", async () => {
      await shop.query("UPDATE {inbox_tasks} SET due_at = 0, lease_until = 2 * lease_until");
      await tidy();
      throw new Error("The mail server is down.");
    });
    shop.inbox.on("payment", "ship", { states: ["completed"] }, (_tx, _payment, { after }) =>
      after("email"),
    );
    await shop.paid("order_1");
    await shop.inbox.settleDue();
    await shop.query("UPDATE {inbox_tasks} SET parked_at = 0, due_at = 0, lease_until = 0");
    await tidy();
    expect(other.told("failed")).toEqual([]);
  });

  it("do not count as waiting while they run, unless they have failed before", async ({ shop }) => {
    const lags: number[] = [];
    shop.inbox.task("email", async () => {
      await shop.advance(10_000);
      lags.push((await shop.inbox.stats()).lagMs);
      if (lags.length === 1) throw new Error("The mail server timed out.");
    });
    shop.inbox.on("payment", "ship", { states: ["completed"] }, (_tx, _payment, tools) =>
      tools.after("email"),
    );
    await shop.paid("order_1");
    await shop.inbox.settleDue();
    await shop.advance(10_000);
    await shop.inbox.settleDue();
    expect(lags).toEqual([0, 30_000]);
    expect((await shop.inbox.stats()).lagMs).toBe(0);
  });
});
