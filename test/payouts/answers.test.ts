import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { stopTime } from "../stop-time.ts";
import { minute, opened, order } from "./world.ts";

// The client's pauses after a 429 follow the world's clock.
beforeEach(() => stopTime({ shouldAdvanceTime: true }));
afterEach(() => vi.useRealTimers());

it.each(["lost", "unanswered", "conflict"] as const)(
  "does not suggest paying a payout in doubt another way: %s",
  async (fate) => {
    const { world, payouts } = await opened();
    if (fate !== "conflict") world.fates.push(fate);
    const refuse = () => Response.json({ code: "idempotency_conflict" }, { status: 409 });
    world.answer = (method) => (fate === "conflict" && method === "POST" ? refuse() : undefined);
    await payouts.plan(order);
    await payouts.runDue();
    const { state, problem } = (await payouts.get(order.orderId)) ?? {};
    expect(state).toBe("sending");
    expect(problem).toMatch(
      /^Outcome unknown: the request may have taken effect \((ConnectionError ECONNRESET|Idempot.*)\)\. The ledger/,
    );
    expect(problem).not.toMatch(/createOnce|call again|repeat/i);
  },
);

it.each([401, 429, 503])(
  "does not wait a year because of the Retry-After of one response with status %i",
  async (status) => {
    const { world, payouts, state } = await opened();
    let isFirst = true;
    world.answer = (method) => {
      if (method !== "POST" || !isFirst) return undefined;
      isFirst = false;
      const headers = { "retry-after": "31536000" };
      return Response.json({ code: "x", message: "No" }, { status, headers });
    };
    await payouts.plan(order);
    await world.live(payouts, 30 * minute);
    expect(await state()).toBe("sent");
  },
);
