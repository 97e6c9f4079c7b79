import { beforeEach, describe, expect, vi } from "vitest";
import { NotFoundError } from "../../src/index.ts";
import { signWebhook, Webhooks } from "../../src/webhooks/index.ts";
import { webCryptoReceiver } from "../webhooks/deliveries.ts";
import { clock, prepareShop, type Shop, ship, shops } from "./shop.ts";

const secretOf = (tenant: string) => `whsec_${tenant}`;
const data = { id: "p", status: "completed" as const, orderId: "o" };

const webhooksOf = (tenant: string) => new Webhooks({ secret: secretOf(tenant) });

function delivery(secret: string, orderId = "o"): Request {
  const event = { event: "payment.updated" as const, data: { ...data, orderId } };
  return signWebhook({ event, secret }).request("http://shop.example/");
}

describe.each(shops)("an inbox of several merchants on %s", (_, it, openDatabase) => {
  const logger = { warn: vi.fn(), error: vi.fn() };
  beforeEach(() => void vi.clearAllMocks());

  const openInbox = (shop: Shop, secret: (tenant: string) => string | (() => string) = secretOf) =>
    shop.openProcess({
      client: () => shop.client,
      webhooks: (tenant) => new Webhooks({ secret: secret(tenant), logger }),
    });

  it("answers a webhook on another merchant's route with 500, and logs where it belongs", async ({
    shop,
  }) => {
    const { inbox } = openInbox(shop);
    const [receiveA, receiveB] = ["a", "b"].map((tenant) => inbox.fetchHandler({ tenant }));
    expect((await receiveA?.(delivery(secretOf("b"))))?.status).toBe(500);
    expect(logger.error.mock.calls[0]?.[0]).toMatch(
      /A webhook for the tenant "b" arrived at the route of the tenant "a"\. .* Set the webhook URL of "b" to its own route/,
    );
    expect(logger.error.mock.calls[0]?.[1].error).toMatchObject({ code: "other_tenant" });
    expect((await inbox.stats()).changed).toBe(0);
    // Redelivered to its own route.
    expect((await receiveB?.(delivery(secretOf("b"))))?.status).toBe(200);
    expect((await inbox.stats()).changed).toBe(1);
  });

  it("answers a forged webhook with 401, whatever its body says", async ({ shop }) => {
    const { inbox } = openInbox(shop);
    const [receive] = ["a", "b"].map((tenant) => inbox.fetchHandler({ tenant }));
    expect((await receive?.(delivery("whsec_forged")))?.status).toBe(401);
    expect((await inbox.stats()).changed).toBe(0);
  });

  it("answers a forged webhook with 401 on a platform without node:crypto, too", async ({
    shop,
  }) => {
    const now = () => new Date();
    const { inbox } = shop.openProcess({
      client: () => shop.client,
      webhooks: (tenant) => webCryptoReceiver({ secret: secretOf(tenant), logger, now }),
    });
    const [receive] = ["a", "b"].map((tenant) => inbox.fetchHandler({ tenant }));
    expect((await receive?.(delivery("whsec_forged")))?.status).toBe(401);
    expect((await receive?.(delivery(secretOf("a"))))?.status).toBe(200);
  });

  it("bounds the cost of a forged webhook", async ({ shop }) => {
    const { inbox } = openInbox(shop);
    const matches = vi.spyOn(Webhooks.prototype, "matches");
    const tenants = Array.from({ length: 40 }, (_, n) => `tenant_${n}`);
    const [receive] = tenants.map((tenant) => inbox.fetchHandler({ tenant }));
    expect((await receive?.(delivery("whsec_forged")))?.status).toBe(401);
    expect(matches).toHaveBeenCalledTimes(39);
    matches.mockClear();
    const large = delivery("whsec_forged", "x".repeat(100_000));
    expect((await receive?.(large))?.status).toBe(401);
    expect(matches).toHaveBeenCalledTimes(10);
    matches.mockRestore();
  });

  it("does not compare a forged webhook with invented names that routes were called with", async ({
    shop,
  }) => {
    const { inbox } = shop.openProcess({
      client(tenant) {
        if (tenant.startsWith("invented")) throw new Error("There is no such merchant.");
        return shop.client;
      },
      webhooks: (tenant) => new Webhooks({ secret: secretOf(tenant), logger }),
    });
    for (let n = 0; n < 100; n++) inbox.fetchHandler({ tenant: `invented_${n}` });
    const [receive] = ["a", "b"].map((tenant) => inbox.fetchHandler({ tenant }));
    const matches = vi.spyOn(Webhooks.prototype, "matches");
    await receive?.(delivery("whsec_forged"));
    expect(matches).toHaveBeenCalledTimes(1);
    matches.mockRestore();
  });

  it("does not load other merchants' secrets because of a forged webhook", async ({ shop }) => {
    const asked: string[] = [];
    const { inbox } = openInbox(shop, (tenant) => () => {
      asked.push(tenant);
      return secretOf(tenant);
    });
    const [receive] = ["a", "b"].map((tenant) => inbox.fetchHandler({ tenant }));
    expect((await receive?.(delivery("whsec_forged")))?.status).toBe(401);
    expect(asked).toEqual(["a"]);
  });

  it("reads every merchant's lists, even if one merchant's cannot be read", async ({ shop }) => {
    const { inbox, told } = shop.openProcess({
      client: (tenant) => {
        if (tenant === "b") return shop.client;
        throw new Error(`no client for ${tenant}`);
      },
      webhooks: (tenant) => new Webhooks({ secret: secretOf(tenant), logger }),
    });
    ship(inbox);
    for (const tenant of ["a", "b"]) {
      const receive = inbox.fetchHandler({ tenant });
      expect((await receive(delivery(secretOf(tenant)))).status).toBe(200);
    }
    shop.deliverTo(async () => new Response());
    await shop.paid("order_of_b");
    await expect(inbox.reconcile()).rejects.toThrow("no client for a");
    expect(told("failed")).toMatchObject([
      { tenant: "a", kind: "payment" },
      { tenant: "a", kind: "withdrawal" },
    ]);
    expect(told("reconciled")).toMatchObject([
      { tenant: "b", kind: "payment", listed: 1, missed: 1 },
      { tenant: "b", kind: "withdrawal" },
    ]);
    const worker = inbox.start({ pollMs: 1 });
    await vi.waitFor(async () => expect(await shop.shipments()).toEqual(["order_of_b"]));
    await vi.waitFor(() => expect(told("reconciled")).toHaveLength(4));
    await worker.stop();
    // Only the lists that could not be read are due again after a minute.
    await shop.advance(60_000);
    await inbox.start().stop();
    expect(told("reconciled")).toHaveLength(4);
  });

  describe("reads the lists of a merchant whose webhooks never arrive", () => {
    const openProcess = (shop: Shop, { open } = shop.database) =>
      shop.openProcess({
        store: open({ clock }),
        client: (tenant) => {
          if (tenant === "dan") return shop.client;
          throw new Error(`no client for ${tenant}`);
        },
        webhooks: webhooksOf,
      });
    const tenants = async (shop: Shop, { query } = shop.database) => {
      const select = "SELECT tenant FROM {inbox_watermarks} WHERE kind = 'payment'";
      return (await query(shop.store.dialect.expand(select))).map(({ tenant }) => tenant);
    };

    it("from a worker that started before in a process without its handler", async ({ shop }) => {
      const { inbox } = openProcess(shop);
      ship(inbox);
      // Registers the effect, which does not run for what happened before.
      await inbox.settleDue();
      await using _worker = inbox.start({ pollMs: 1, reconcileEvery: "1s" });
      const receiver = openProcess(shop);
      receiver.inbox.nodeHandler({ tenant: "dan" });
      await vi.waitFor(async () => expect(await tenants(shop)).toEqual(["dan"]));
      shop.deliverTo(async () => new Response());
      await shop.paid("order_of_dan");
      await shop.advance(1_000);
      await vi.waitFor(async () => expect(await shop.shipments()).toEqual(["order_of_dan"]));
    });

    it("when called in the process that has just created its handler", async ({ shop }) => {
      shop.deliverTo(async () => new Response());
      await shop.paid("order_of_dan");
      const { inbox } = openProcess(shop);
      await inbox.settleDue();
      inbox.lambdaHandler({ tenant: "dan" });
      expect(await inbox.reconcile({ since: new Date(0) })).toEqual({ listed: 1, missed: 1 });
    });

    it("although the tables are created after the handler", async ({ shop }) => {
      const later = await openDatabase();
      await prepareShop(later);
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      const [migrating, waiting] = [openProcess(shop, later), openProcess(shop, later)];
      for (const { inbox, store } of [migrating, waiting]) {
        const attempt = vi.spyOn(store, "transaction");
        inbox.fetchHandler({ tenant: "dan" });
        await vi.advanceTimersByTimeAsync(0);
        await expect(attempt.mock.results[0]?.value).resolves.toBe(0);
      }
      await migrating.inbox.migrate();
      expect(await tenants(shop, later)).toEqual(["dan"]);
      await later.query(shop.store.dialect.expand("DELETE FROM {inbox_watermarks}"));
      await vi.advanceTimersByTimeAsync(60_000);
      vi.useRealTimers();
      await vi.waitFor(async () => expect(await tenants(shop, later)).toEqual(["dan"]));
      await later.close();
    });

    it("unless it has no client, so that routes with invented names fill no table", async ({
      shop,
    }) => {
      const { inbox } = openProcess(shop);
      for (const tenant of ["mallory", "dan"]) inbox.fetchHandler({ tenant });
      await inbox.settleDue();
      expect(await tenants(shop)).toEqual(["dan"]);
    });
  });

  it("settles one merchant's payment on request, and leaves another's with the same id to the workers", async ({
    shop,
  }) => {
    const { inbox, told } = openInbox(shop);
    const id = await shop.paid("order_1");
    await inbox.settle({ kind: "payment", id, tenant: "b" });
    expect(told("settled")).toMatchObject([{ tenant: "b" }]);
    expect(await inbox.settleDue()).toBe(1);
  });

  it("reads one merchant's lists on request, and refuses a name that it does not know", async ({
    shop,
  }) => {
    const { inbox, told } = openInbox(shop);
    for (const tenant of ["dan", "erin"]) inbox.fetchHandler({ tenant });
    shop.deliverTo(async () => new Response());
    await shop.paid("order_1");
    expect(await inbox.reconcile({ tenant: "dan" })).toEqual({ listed: 1, missed: 1 });
    expect(told("reconciled").map(({ tenant }) => tenant)).toEqual(["dan", "dan"]);
    const checked = await shop.query(
      "SELECT tenant FROM {inbox_watermarks} WHERE kind = 'payment' AND missed > 0",
    );
    expect(checked).toEqual([{ tenant: "dan" }]);
    const refusal = { code: "invalid_option", param: "tenant" };
    await expect(inbox.reconcile({ tenant: "dann" })).rejects.toMatchObject({
      ...refusal,
      message: 'This inbox has no tenant "dann". Did you mean "dan"?',
    });
    await expect(inbox.reconcile({ tenant: "frank" })).rejects.toMatchObject({
      ...refusal,
      message: expect.stringContaining("once a process has created a handler for it"),
    });
    await expect(inbox.reconcile({ tenant: 1 as never })).rejects.toMatchObject(refusal);
    const single = shop.inbox.reconcile({ tenant: "dan" });
    await expect(single).rejects.toMatchObject({ code: "invalid_option", param: "client" });
  });

  it("needs a client for each merchant, because a client reads only one merchant's lists", async ({
    shop,
  }) => {
    await shop.inbox.settleDue();
    const refusal = { code: "invalid_option", param: "client" };
    expect(() => shop.inbox.fetchHandler({ tenant: "a" })).toThrow(
      expect.objectContaining(refusal),
    );
    const { inbox } = openInbox(shop);
    await inbox.fetchHandler({ tenant: "a" })(delivery(secretOf("a")));
    const restarted = shop.openProcess();
    await expect(restarted.inbox.settleDue()).rejects.toMatchObject(refusal);
    expect((await inbox.stats()).changed).toBe(1);
  });

  it.for([
    [undefined, "undefined"],
    [Promise.resolve({}), "a Promise"],
  ] as const)(
    "reports a `client` function that returns something else",
    async ([found, shown], { shop }) => {
      const webhooks = () => new Webhooks({ secret: secretOf("a") });
      const { inbox, told } = shop.openProcess({ client: () => found as never, webhooks });
      await inbox.fetchHandler({ tenant: "a" })(delivery(secretOf("a")));
      await inbox.settleDue();
      const message = expect.stringContaining(`returned ${shown} for the tenant "a". Return a Mer`);
      expect(told("failed")).toMatchObject([{ error: { code: "invalid_option", message } }]);
    },
  );

  it("keeps a webhook whose payment the merchant's client cannot read, and says what to check", async ({
    shop,
  }) => {
    const { inbox, told } = openInbox(shop);
    const receive = inbox.fetchHandler({ tenant: "a" });
    expect((await receive(delivery(secretOf("a")))).status).toBe(200);
    await inbox.settleDue();
    const [{ error } = { error: undefined }] = told("retried");
    expect(NotFoundError.is(error)).toBe(true);
    expect(error).toMatchObject({ code: "unknown_subject" });
    expect(String(error)).toMatch(
      /The client of the tenant "a" cannot read the payment "p"\. .* belong to the same merchant/,
    );
    expect((await inbox.stats()).changed).toBe(1);
  });
});
