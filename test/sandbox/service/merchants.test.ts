import { createSandbox, type Sandbox, type SandboxMerchant } from "settlekit/sandbox";
import { Webhooks } from "settlekit/webhooks";
import { describe, expect, it, vi } from "vitest";
import type { CreatedPayment } from "../../../src/wire/payment.ts";
import { scriptedServer } from "../../scripted-server.ts";
import {
  errorOf,
  order,
  paymentsPath,
  payout,
  type Sent,
  send,
  withdrawalsPath,
} from "../merchant.ts";

/** A sandbox with two merchants, each with a shop that records its webhooks. */
function twoShops() {
  const told: [string[], string[]] = [[], []];
  const deliver = (list: string[]) => async (request: Request) => {
    list.push(`${request.url} ${await request.text()}`);
    return new Response();
  };
  const sandbox = createSandbox({
    merchants: [
      { deliver: deliver(told[0]), webhookUrl: "https://one.example/" },
      { deliver: deliver(told[1]), webhookUrl: "https://two.example/" },
    ],
  });
  const [one, two] = sandbox.merchants;
  if (one === undefined || two === undefined) throw new Error("Expected two merchants.");
  return { sandbox, one, two, told };
}

function as({ secretKey }: SandboxMerchant, sent: Sent = {}): Sent {
  return { ...sent, headers: { "X-Service-Secret-Key": secretKey, ...sent.headers } };
}

async function createAs(sandbox: Sandbox, merchant: SandboxMerchant, headers = {}) {
  const response = await send(sandbox, paymentsPath, as(merchant, { body: order, headers }));
  return (await response.json()) as CreatedPayment;
}

const totalOf = async (response: Response) => (await response.json()).pagination.total;

describe("merchants of one sandbox", () => {
  it("have their own ids and secrets; those of the first are the sandbox's", () => {
    const { sandbox, one, two } = twoShops();
    const { merchantId, secretKey, webhookSecret, accessToken } = sandbox;
    expect(one).toMatchObject({ merchantId, secretKey, webhookSecret, accessToken });
    for (const name of ["merchantId", "secretKey", "webhookSecret", "accessToken"] as const) {
      expect(two[name]).not.toBe(one[name]);
    }
    expect([one.name, two.name]).toEqual(["Sandbox Merchant", "Sandbox Merchant 2"]);
  });

  it("receive webhooks at their own URL, even with a common deliver", async () => {
    const told: string[] = [];
    const deliver = ({ url }: Request) => {
      told.push(url);
      return new Response();
    };
    await using shop = await scriptedServer({});
    const merchants = [{}, { webhookUrl: shop.url }, { webhookUrl: shop.url, deliver }];
    const sandbox = createSandbox({ deliver, merchants });
    for (const merchant of sandbox.merchants) await createAs(sandbox, merchant);
    await sandbox.webhooks.idle();
    expect(told).toEqual(["https://merchant.example/webhooks", `${shop.url}/`]);
    expect(shop.requests).toHaveLength(1);
  });

  it("cannot see each other's payments and withdrawals on any route", async () => {
    const { sandbox, one, two } = twoShops();
    const { paymentId, payment } = await createAs(sandbox, one);
    expect(payment.merchantId).toBe(one.merchantId);
    const body = { body: payout };
    const { id } = await (await send(sandbox, withdrawalsPath, as(one, body))).json();
    for (const path of [paymentsPath, withdrawalsPath]) {
      expect(await totalOf(await send(sandbox, path, as(one)))).toBe(1);
      expect(await totalOf(await send(sandbox, path, as(two)))).toBe(0);
    }
    expect((await send(sandbox, `${paymentsPath}/${paymentId}`, as(two))).status).toBe(404);
    expect((await send(sandbox, `${withdrawalsPath}/${id}`, as(two))).status).toBe(404);

    const headers = { Authorization: `Bearer ${two.accessToken}` };
    const ofTwo = `/v1/merchants/${two.merchantId}/withdrawals`;
    expect(await totalOf(await send(sandbox, ofTwo, { headers }))).toBe(0);
    expect((await send(sandbox, `${ofTwo}/${id}`, { headers })).status).toBe(404);
    const ofOne = `/v1/merchants/${one.merchantId}/withdrawals`;
    expect((await send(sandbox, ofOne, { headers })).status).toBe(403);
  });

  it("may use the same idempotency key independently", async () => {
    const { sandbox, one, two } = twoShops();
    const key = { "Idempotency-Key": "key-1" };
    const first = await createAs(sandbox, one, key);
    const other = await createAs(sandbox, two, key);
    expect(other.paymentId).not.toBe(first.paymentId);
    expect(await createAs(sandbox, one, key)).toEqual(first);
  });

  it("receive webhooks for their own payments only, signed with their own secret", async () => {
    const { sandbox, one, two, told } = twoShops();
    await createAs(sandbox, one);
    const { paymentId } = await createAs(sandbox, two);
    await sandbox.payments.simulate(paymentId, "success");
    await sandbox.webhooks.idle();
    expect(told[0]).toEqual([expect.stringMatching(/^https:\/\/one.example\/ /)]);
    expect(told[1]).toHaveLength(2);
    for (const text of told[1]) {
      expect(text).toMatch(/^https:\/\/two.example\/ /);
      expect(text).toContain(two.merchantId);
    }
    const [delivery] = sandbox.webhooks.deliveries().slice(-1);
    const { body = "", headers = {} } = delivery?.attempts[0]?.request ?? {};
    const verify = (secret: string) => new Webhooks({ secret }).verify({ body, headers });
    expect(await verify(two.webhookSecret)).toMatchObject({ data: { orderId: "order_1" } });
    await expect(verify(one.webhookSecret)).rejects.toThrow("No configured secret matches");
  });

  it("have their own permissions and limits; the sandbox's options are the defaults", async () => {
    const sandbox = createSandbox({
      withdrawalsEnabled: false,
      limits: { minPaymentInCents: 100 },
      merchants: [{}, { name: "Other", withdrawalsEnabled: true, depositsEnabled: false }],
    });
    const [one, two] = sandbox.merchants;
    if (one === undefined || two === undefined) throw new Error("Expected two merchants.");
    expect(two).toMatchObject({ name: "Other", limits: { minPaymentInCents: 100 } });
    const body = { body: payout };
    expect((await send(sandbox, withdrawalsPath, as(one, body))).status).toBe(403);
    expect((await send(sandbox, withdrawalsPath, as(two, body))).status).toBe(201);
    const deposit = { body: { type: "deposit", currency: "USD", orderId: "1" } };
    expect((await send(sandbox, paymentsPath, as(one, deposit))).status).toBe(201);
    const refused = await send(sandbox, paymentsPath, as(two, deposit));
    expect(await errorOf(refused)).toMatchObject({ code: "deposits_disabled" });
  });

  it("get the sandbox's options for those that are undefined, and for limits that are left out", async () => {
    const told: string[] = [];
    const deliver = (request: Request) => {
      told.push(request.url);
      return new Response();
    };
    const own = {
      deliver: undefined,
      webhookUrl: undefined,
      depositsEnabled: undefined,
      limits: {},
    };
    const common = { depositsEnabled: false, limits: { minPaymentInCents: 100 } };
    const webhookUrl = "https://shop.example/webhooks";
    const sandbox = createSandbox({ ...common, webhookUrl, deliver, merchants: [own] });
    const [merchant] = sandbox.merchants;
    if (merchant === undefined) throw new Error("Expected a merchant.");
    expect(merchant).toMatchObject({ ...common, webhookUrl });
    await createAs(sandbox, merchant);
    await sandbox.webhooks.idle();
    expect(told).toEqual([webhookUrl]);
  });

  it("each have the full rate limit", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { sandbox, one, two } = twoShops();
    sandbox.faults.rateLimit({ requestsPerSecond: 1 });
    const statuses: number[] = [];
    for (const merchant of [one, two, one, two]) {
      statuses.push((await send(sandbox, paymentsPath, as(merchant))).status);
    }
    expect(statuses).toEqual([200, 200, 429, 429]);
    vi.useRealTimers();
  });

  it("keep their secrets but get fresh ids when only the identity is given", async () => {
    const [first, second] = [1, 2].map(() =>
      createSandbox({ identity: "mine", merchants: [{}, {}] }),
    );
    if (first === undefined || second === undefined) throw new Error("Expected two merchants.");
    expect(second.merchants).toEqual(first.merchants);
    const [one] = first.merchants;
    if (one === undefined) throw new Error("Expected a merchant.");
    const { paymentId } = await createAs(first, one);
    expect((await createAs(second, one)).paymentId).not.toBe(paymentId);
  });

  it("must be at least one", () => {
    expect(() => createSandbox({ merchants: [] })).toThrow(
      expect.objectContaining({ code: "no_merchants", param: "merchants" }),
    );
  });
});
