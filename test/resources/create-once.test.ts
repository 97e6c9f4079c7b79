import { describe, expect, test, vi } from "vitest";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.ts";
import { clientOf } from "./sandbox-client.ts";

const payout = {
  orderId: "payout_1",
  amountInCents: 12_500,
  chainId: 84532,
  recipientAddress: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
};

async function existing(sandbox: Sandbox) {
  return (await clientOf(sandbox).withdrawals.list()).data;
}

/** A fetch that meets the sandbox and then loses, or changes, some answers to creations. */
function losing(
  sandbox: Sandbox,
  lose: (request: Request, answer: Response) => Response | Promise<Response>,
) {
  return async (url: string, init: RequestInit) => {
    const request = new Request(url, init);
    const answer = await sandbox.fetch(request.clone());
    return request.method === "POST" ? lose(request, answer) : answer;
  };
}

describe("createOnce", () => {
  test("makes the order's withdrawal when there is none", async () => {
    const sandbox = createSandbox();
    const withdrawal = await clientOf(sandbox).withdrawals.createOnce(payout);
    expect(withdrawal).toMatchObject({ ...payout, status: "pending" });
    expect(await existing(sandbox)).toHaveLength(1);
  });

  test("gives the one that exists, from any process, and sends nothing", async () => {
    const sandbox = createSandbox();
    const first = await clientOf(sandbox).withdrawals.createOnce(payout);
    const { withdrawals, calls } = clientOf(sandbox);
    expect(await withdrawals.createOnce(payout)).toMatchObject({ id: first.id });
    expect(calls("withdrawals.create")).toBe(0);
  });

  test("compares by meaning: address case, chain id form, defaults and parsed metadata", async () => {
    const sandbox = createSandbox();
    const first = await clientOf(sandbox).withdrawals.createOnce({
      ...payout,
      customMetadata: { a: 1, b: [2] },
    });
    const again = clientOf(sandbox, { wire: { chainIdFormat: "caip2" } }).withdrawals.createOnce({
      ...payout,
      recipientAddress: payout.recipientAddress.toLowerCase(),
      customMetadata: '{ "b": [2], "a": 1 }',
      currency: "USD",
    });
    expect(await again).toMatchObject({ id: first.id });
  });

  test.each([
    [{ amountInCents: 12_600 }, "amountInCents"],
    [{ chainId: 11_155_111 }, "chainId"],
    [{ recipientAddress: "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359" }, "recipientAddress"],
    [{ customMetadata: { a: 1 } }, "customMetadata"],
  ])("is a conflict when the existing one differs: %o", async (changes, field) => {
    const sandbox = createSandbox();
    const { id } = await clientOf(sandbox).withdrawals.createOnce(payout);
    const call = clientOf(sandbox).withdrawals.createOnce({ ...payout, ...changes });
    const error = await call.catch((thrown) => thrown);
    expect(error).toMatchObject({ name: "IdempotencyConflictError", outcome: "not_sent" });
    expect(error.message).toContain(field);
    expect(error.message).toContain(id);
    expect(await existing(sandbox)).toHaveLength(1);
  });

  test("throws when the order has several, listing them", async () => {
    const sandbox = createSandbox();
    const { withdrawals } = clientOf(sandbox);
    const first = await withdrawals.create(payout);
    const second = await withdrawals.create(payout);
    const error = await withdrawals.createOnce(payout).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: "IdempotencyConflictError", code: "several_withdrawals" });
    expect(error.message).toContain(first.id);
    expect(error.message).toContain(second.id);
    expect(await existing(sandbox)).toHaveLength(2);
  });

  test.each(["fail", "cancel"] as const)("gives one that ended by %s as it is", async (end) => {
    const sandbox = createSandbox();
    const { withdrawals } = clientOf(sandbox);
    const { id } = await withdrawals.createOnce(payout);
    await sandbox.withdrawals.simulate(id, end);
    expect(await withdrawals.createOnce(payout)).toMatchObject({ id });
    expect(await existing(sandbox)).toHaveLength(1);
  });

  test("uses a key made from base URL, namespace and order, not from the parameters or the secret", async () => {
    const key = async (options: object, changes: object = {}) => {
      const { withdrawals } = clientOf(createSandbox(), options);
      const call = withdrawals.createOnce({ ...payout, ...changes });
      return (await call.withResponse()).idempotencyKey;
    };
    const usual = await key({});
    expect(await key({}, { amountInCents: 1000 })).toBe(usual);
    expect(await key({}, { orderId: "payout_2" })).not.toBe(usual);
    expect(await key({ idempotencyNamespace: "books" })).not.toBe(usual);
    expect(await key({ baseUrl: "https://sandbox.example" })).not.toBe(usual);
  });

  test.each<[string, () => Response | Promise<Response>]>([
    ["a 500", () => new Response("", { status: 500 })],
    ["a reset", () => Promise.reject(new TypeError("fetch failed"))],
    ["an unreadable success", () => new Response("<html>", { status: 200 })],
    ["a success without id", () => Response.json({ status: "pending" }, { status: 201 })],
    ["a 409", () => new Response("", { status: 409 })],
  ])("finds what it made when the answer was %s", async (_, lost) => {
    const sandbox = createSandbox();
    const { withdrawals, calls } = clientOf(sandbox, { fetch: losing(sandbox, lost) });
    const withdrawal = await withdrawals.createOnce(payout);
    expect(await existing(sandbox)).toMatchObject([{ id: withdrawal.id }]);
    expect(calls("withdrawals.create")).toBe(1);
  });

  test("looks with backoff until the deadline, sends no second request, and says what to check", async () => {
    const sandbox = createSandbox();
    let sent = 0;
    const { withdrawals, time } = clientOf(sandbox, {
      fetch: (url, init) => {
        const request = new Request(url, init);
        if (request.method !== "POST") return sandbox.fetch(request);
        sent += 1;
        return Promise.reject(new TypeError("fetch failed"));
      },
    });
    const error = await withdrawals.createOnce(payout).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: "OutcomeUnknownError", outcome: "unknown", attempts: 1 });
    expect(error.message).toContain("withdrawals.findByOrderId");
    expect(error.idempotencyKey).toEqual(expect.any(String));
    expect(sent).toBe(1);
    expect(time.current).toBeGreaterThanOrEqual(89_900);
    expect(time.current).toBeLessThanOrEqual(90_000);
    expect(time.waits.slice(0, 3)).toEqual([500, 750, 1125]);
  });

  test("was not sent when the lookup before it fails", async () => {
    const { withdrawals } = clientOf(createSandbox(), {
      fetch: () => Promise.resolve(new Response("", { status: 500 })),
    });
    await expect(withdrawals.createOnce(payout)).rejects.toMatchObject({
      name: "ServerError",
      outcome: "not_sent",
    });
  });

  test("throws what the service refuses", async () => {
    const sandbox = createSandbox();
    const call = clientOf(sandbox).withdrawals.createOnce({ ...payout, amountInCents: 99 });
    await expect(call).rejects.toMatchObject({ name: "InvalidRequestError", outcome: "rejected" });
  });

  test("needs an order id", async () => {
    const { orderId, ...rest } = payout;
    const call = clientOf(createSandbox()).withdrawals.createOnce(rest as typeof payout);
    await expect(call).rejects.toMatchObject({ name: "InvalidRequestError", param: "orderId" });
    expect(orderId).toBeDefined();
  });
});

describe("createOnce in doubt", () => {
  /** A sandbox whose first answer to a creation is lost, and whose lists answer so afterwards. */
  function doubtful(sandbox: Sandbox, list: (request: Request) => Response | Promise<Response>) {
    let sent = 0;
    const fetch = async (url: string, init: RequestInit) => {
      const request = new Request(url, init);
      if (request.method === "GET") return sent === 0 ? sandbox.fetch(request) : list(request);
      sent += 1;
      await sandbox.fetch(request);
      return new Response("", { status: 500 });
    };
    return clientOf(sandbox, { fetch, wire: { withdrawalIdempotency: "honoured" } });
  }

  test.each([
    ["that is no JSON", () => new Response("<html>Busy</html>")],
    ["that is refused", () => new Response("", { status: 403 })],
  ])("goes on looking after a list %s, until the deadline", async (_, list) => {
    const sandbox = createSandbox();
    const { withdrawals, calls, time } = doubtful(sandbox, list);
    const error = await withdrawals.createOnce(payout, { deadlineMs: 20_000 }).catch((e) => e);
    expect(error).toMatchObject({ name: "OutcomeUnknownError", attempts: 1 });
    expect(error.message).toContain("The list could not be read");
    expect(calls("withdrawals.create")).toBe(1);
    expect(time.current).toBeGreaterThan(19_000);
    expect(time.current).toBeLessThanOrEqual(20_000);
  });

  test("finds what appears just before the deadline", async () => {
    const sandbox = createSandbox();
    const empty = { data: [], pagination: { total: 0, limit: 1000, offset: 0, hasMore: false } };
    const { withdrawals, time } = doubtful(sandbox, (request) =>
      time.current < 19_600 ? Response.json(empty) : sandbox.fetch(request),
    );
    const { id } = await withdrawals.createOnce(payout, { deadlineMs: 20_000 });
    expect(await existing(sandbox)).toMatchObject([{ id }]);
  });

  test("does not say that nothing was sent when it finds several", async () => {
    const sandbox = createSandbox();
    const two = { ...payout, id: "1", status: "pending", currency: "USD" };
    const page = { data: [two, { ...two, id: "2" }], pagination: { total: 2, hasMore: false } };
    const { withdrawals } = doubtful(sandbox, () => Response.json(page));
    const error = await withdrawals.createOnce(payout).catch((e) => e);
    expect(error).toMatchObject({ code: "several_withdrawals", outcome: "unknown" });
    expect(error.message).not.toContain("Nothing was sent");
  });

  test("tells an abort with the key and what to check", async () => {
    const sandbox = createSandbox();
    const controller = new AbortController();
    const { withdrawals } = doubtful(sandbox, () => {
      controller.abort();
      return Response.json({ data: [], pagination: { total: 0, hasMore: false } });
    });
    const error = await withdrawals
      .createOnce(payout, { signal: controller.signal })
      .catch((e) => e);
    expect(error).toMatchObject({ name: "AbortError", outcome: "unknown" });
    expect(error.idempotencyKey).toEqual(expect.any(String));
    expect(error.message).toContain("withdrawals.findByOrderId");
  });

  test("sends nothing when the lookup took the whole deadline", async () => {
    const sandbox = createSandbox();
    const { withdrawals, time, calls } = clientOf(sandbox, {
      fetch: async (url, init) => {
        await time.sleep(950);
        return sandbox.fetch(new Request(url, init));
      },
    });
    await expect(withdrawals.createOnce(payout, { deadlineMs: 1000 })).rejects.toMatchObject({
      name: "TimeoutError",
      outcome: "not_sent",
    });
    expect(calls("withdrawals.create")).toBe(0);
  });

  test("does not look when it was aborted before", async () => {
    const { withdrawals, events } = clientOf(createSandbox());
    const call = withdrawals.createOnce(payout, { signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ name: "AbortError", outcome: "not_sent" });
    expect(events).toEqual([]);
  });
});

describe("calls for one order in one process", () => {
  test("share one request", async () => {
    const sandbox = createSandbox();
    const { withdrawals, calls } = clientOf(sandbox);
    const made = await Promise.all(
      Array.from({ length: 20 }, () => withdrawals.createOnce(payout)),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(calls("withdrawals.create")).toBe(1);
    expect(calls("withdrawals.list")).toBe(1);
  });

  test("share it across clients of one merchant, but not with another merchant's", async () => {
    const sandbox = createSandbox();
    const other = createSandbox();
    const [a, b, c] = await Promise.all([
      clientOf(sandbox).withdrawals.createOnce(payout),
      clientOf(sandbox).withdrawals.createOnce(payout),
      clientOf(other).withdrawals.createOnce(payout),
    ]);
    expect(b.id).toBe(a.id);
    expect(c.id).not.toBe(a.id);
    expect(await existing(sandbox)).toHaveLength(1);
    expect(await existing(other)).toHaveLength(1);
  });

  test("do not cancel each other by an abort", async () => {
    const sandbox = createSandbox();
    const { withdrawals } = clientOf(sandbox);
    const controller = new AbortController();
    const leaving = withdrawals.createOnce(payout, { signal: controller.signal });
    const staying = withdrawals.createOnce(payout);
    controller.abort();
    await expect(leaving).rejects.toMatchObject({ name: "AbortError" });
    const { id } = await staying;
    expect(await existing(sandbox)).toMatchObject([{ id }]);
  });

  test("with other parameters meet the first one's withdrawal", async () => {
    const sandbox = createSandbox();
    const { withdrawals } = clientOf(sandbox);
    const calls = [
      withdrawals.createOnce(payout),
      withdrawals.createOnce({ ...payout, amountInCents: 500 }),
    ];
    const [first, second] = await Promise.allSettled(calls);
    expect(first).toMatchObject({ status: "fulfilled" });
    expect(second).toMatchObject({ reason: { name: "IdempotencyConflictError" } });
    expect(await existing(sandbox)).toHaveLength(1);
  });
});

/** A client with modules of its own, as in another process. */
async function processOf(sandbox: Sandbox) {
  vi.resetModules();
  const modules = await import("./sandbox-client.ts");
  return modules.clientOf(sandbox);
}

describe("two processes at the same moment", () => {
  test.each(["honoured", "conflict"] as const)(
    "make one withdrawal where keys are: %s",
    async (mode) => {
      const sandbox = createSandbox();
      sandbox.withdrawalIdempotency = mode;
      const [a, b] = await Promise.all([
        clientOf(sandbox).withdrawals.createOnce(payout),
        clientOf(sandbox).withdrawals.createOnce(payout),
      ]);
      expect(b.id).toBe(a.id);
      expect(await existing(sandbox)).toHaveLength(1);
    },
  );

  test("with different amounts end in one withdrawal and one conflict where keys are honoured", async () => {
    const sandbox = createSandbox();
    sandbox.withdrawalIdempotency = "honoured";
    const [one, two] = [await processOf(sandbox), await processOf(sandbox)];
    const results = await Promise.allSettled([
      one.withdrawals.createOnce(payout),
      two.withdrawals.createOnce({ ...payout, amountInCents: 500 }),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const rejected = results.find(({ status }) => status === "rejected");
    expect(rejected).toMatchObject({ reason: { name: "IdempotencyConflictError" } });
    expect(await existing(sandbox)).toHaveLength(1);
  });

  test("can pass each other where keys are ignored: the race that the guide names", async () => {
    const sandbox = createSandbox();
    const [one, two] = [await processOf(sandbox), await processOf(sandbox)];
    await Promise.all([one.withdrawals.createOnce(payout), two.withdrawals.createOnce(payout)]);
    expect(await existing(sandbox)).toHaveLength(2);
  });
});
