import { describe, expect, test } from "vitest";
import { MerchantClient } from "../../src/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { scriptedService } from "../scripted-service.ts";
import { payment, token, withdrawal } from "../wire/examples.ts";
import { clientOf as withFakeTime } from "./sandbox-client.ts";

const clientOf = ({ url }: { url: string }) =>
  new MerchantClient({ secretKey: "sk_test_1", environment: "sandbox", baseUrl: url });

const quote = { ...payment.quotes[0], paymentId: payment.id, chainId: 8453 };
const chain = { chainId: 8453, name: "Base" };

describe("a response about another object than the requested one", () => {
  const reads: [string, (client: MerchantClient) => Promise<unknown>][] = [
    ["payments.get", (client) => client.payments.get("another")],
    ["withdrawals.get", (client) => client.withdrawals.get("another")],
    ["checkout.payment", (client) => customerOf(client).payment()],
    ["checkout.status", (client) => customerOf(client).status()],
    ["checkout.refreshStatus", (client) => customerOf(client).refreshStatus()],
  ];
  const customerOf = (client: MerchantClient) =>
    client.checkout({ paymentId: "another", secret: "ps_1" });

  test.each(reads)("is refused by %s", async (operation, read) => {
    using server = scriptedService({ body: operation.includes("with") ? withdrawal : payment });
    await expect(read(clientOf(server))).rejects.toMatchObject({
      name: "UnexpectedResponseError",
      code: "answer_differs",
      operation,
      body: { id: expect.any(String) },
      message: expect.stringContaining("does not match the request (different id)"),
    });
  });

  const assets: [string, unknown, unknown, (client: MerchantClient) => Promise<unknown>][] = [
    ["paymentId", quote, { ...quote, paymentId: "b" }, (it) => quotesOf(it).create()],
    ["paymentId", [quote], [quote, { ...quote, paymentId: "b" }], (it) => quotesOf(it).list()],
    ["chainId", quote, { ...quote, chainId: 1 }, (it) => quotesOf(it).create({ chainId: 8453 })],
    ["chainId", chain, { ...chain, chainId: 1 }, (it) => it.chains.get("eip155:8453")],
    ["id", { ...token, id: "a" }, { ...token, id: "b" }, (it) => it.tokens.get("a")],
  ];
  const quotesOf = (client: MerchantClient) =>
    client.checkout({ paymentId: quote.paymentId, secret: "ps_1" }).quotes;

  test.each(assets)("is refused if its %s differs", async (field, own, other, read) => {
    using server = scriptedService({ body: own }, { body: other });
    const client = clientOf(server);
    expect(await read(client)).toMatchObject(own as object);
    await expect(read(client)).rejects.toMatchObject({
      code: "answer_differs",
      message: expect.stringContaining(`(different ${field})`),
    });
  });

  test("names the other chain, which has no other id", async () => {
    using server = scriptedService({ body: chain });
    await expect(clientOf(server).chains.get(1)).rejects.toThrow("with the object 8453");
  });

  test("names no object if it is a list", async () => {
    using server = scriptedService({ body: [quote, { ...quote, paymentId: "b" }] });
    await expect(quotesOf(clientOf(server)).list()).rejects.toThrow("with a list, which does not");
  });

  test("never ends a wait", async () => {
    const fetch = async () => Response.json({ ...payment, status: "completed" });
    const { payments } = withFakeTime(createSandbox(), { fetch });
    const waiting = payments.waitUntilFinal("another");
    // Not its cause: the last reads have a tenth of a second, which a busy machine may exceed.
    await expect(waiting).rejects.toMatchObject({
      name: "TimeoutError",
      message: expect.stringContaining("No status was read."),
    });
  });

  test("is not one whose id is missing or differs only in case", async () => {
    const answers = [payment, { status: "pending" }, [quote, null]].map((body) => ({ body }));
    using server = scriptedService(...answers);
    const client = clientOf(server);
    expect(await client.payments.get(payment.id.toUpperCase())).toMatchObject({ id: payment.id });
    expect(await customerOf(client).status()).toMatchObject({ status: "pending" });
    expect(await quotesOf(client).list()).toMatchObject([{ id: quote.id }, null]);
  });
});
