import { describe, expect, test } from "vitest";
import { realTime } from "../../src/http/time.ts";
import { Withdrawals } from "../../src/resources/withdrawals.ts";
import { httpTo } from "../http/http-to.ts";
import { leftovers, nothing } from "../http/leftovers.ts";
import { withdrawal } from "../wire/examples.ts";

const { orderId, amountInCents, chainId, recipientAddress } = withdrawal;
const payout = { orderId, amountInCents, chainId, recipientAddress };
const listed = (...data: object[]) =>
  Response.json({
    data,
    pagination: { total: data.length, limit: 1000, offset: 0, hasMore: false },
  });
const created = () => Response.json(withdrawal, { status: 201 });
const unavailable = () => new Response("", { status: 503 });

/** The withdrawals of a service with these responses to reads and creations. */
function withdrawalsOf(answerRead: () => Response, answerCreation = created): Withdrawals {
  const fetch = async (_: string, { method }: RequestInit) =>
    method === "POST" ? answerCreation() : answerRead();
  return new Withdrawals(httpTo({ url: "https://api.example" }, { fetch }, realTime));
}

describe("createOnce", () => {
  test.each<[string, () => Withdrawals]>([
    ["when it makes the withdrawal", () => withdrawalsOf(listed)],
    ["when it finds one", () => withdrawalsOf(() => listed(withdrawal))],
    ["when the lookup fails", () => withdrawalsOf(unavailable)],
    ["when the outcome is unknown until the deadline", () => withdrawalsOf(listed, unavailable)],
  ])("leaves no timer and no listener %s", async (_, withdrawals) => {
    const left = await leftovers((signal) => withdrawals().createOnce(payout, { signal }));
    expect(left).toEqual(nothing);
  });

  test("leaves no timer and no listener when it is aborted with an unknown outcome", async () => {
    const left = await leftovers((signal, abort) => {
      const withdrawals = withdrawalsOf(listed, () => {
        setTimeout(abort, 1000);
        return unavailable();
      });
      return withdrawals.createOnce(payout, { signal });
    });
    expect(left).toEqual(nothing);
  });

  test("leaves no timer and no listener when two callers share it", async () => {
    const left = await leftovers((signal) => {
      const withdrawals = withdrawalsOf(listed);
      const calls = [1, 2].map(() => withdrawals.createOnce(payout, { signal }));
      return Promise.all(calls);
    });
    expect(left).toEqual(nothing);
  });
});

describe("waitUntilFinal", () => {
  const pending = () => Response.json({ ...withdrawal, status: "pending" });

  test("leaves no timer and no listener when the status is final", async () => {
    const answers = [pending(), unavailable()];
    const withdrawals = withdrawalsOf(() => answers.shift() ?? Response.json(withdrawal));
    const left = await leftovers((signal) => withdrawals.waitUntilFinal(withdrawal.id, { signal }));
    expect(left).toEqual(nothing);
  });

  test("leaves no timer and no listener when it gives up at its deadline", async () => {
    const withdrawals = withdrawalsOf(pending);
    const left = await leftovers((signal) =>
      withdrawals.waitUntilFinal(withdrawal.id, { signal, deadlineMs: 10_000 }),
    );
    expect(left).toEqual(nothing);
  });

  test("leaves no timer and no listener when it is aborted", async () => {
    const withdrawals = withdrawalsOf(pending);
    const left = await leftovers((signal, abort) => {
      setTimeout(abort, 5000);
      return withdrawals.waitUntilFinal(withdrawal.id, { signal });
    });
    expect(left).toEqual(nothing);
  });
});
