import { describe, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.ts";
import { sandboxHandlers } from "../../src/testing/msw/index.ts";
import { payout } from "./payouts/payout.ts";
import { clientOf } from "./sandbox-client.ts";

// These calls do not compile in TypeScript. In JavaScript, ignoring a name would change what a call does.

const order = { amount: 2500, orderId: "order_1" };

type Client = ReturnType<typeof clientOf>;
type Call = (client: Client) => PromiseLike<unknown>;

describe("a wrong name", () => {
  test.each<[string, Call, string, string]>([
    [
      "metadata of a payment",
      ({ payments }) => payments.create({ ...order, metadata: {} } as never),
      "metadata",
      "Did you mean customMetadata?",
    ],
    [
      "amountInCents of a payment",
      ({ payments }) => payments.create({ amountInCents: 2500, orderId: "1" } as never),
      "amountInCents",
      "Did you mean amount?",
    ],
    [
      "amount of a withdrawal",
      ({ withdrawals }) => withdrawals.create({ ...payout, amount: 2500 } as never),
      "amount",
      "Did you mean amountInCents?",
    ],
    [
      "a query that a web page sent, with a name that every object inherits",
      ({ payments }) => payments.list({ constructor: "1" } as never),
      "constructor",
      'There is no parameter "constructor". The parameters are: ',
    ],
    [
      "a misspelt parameter of createOnce",
      ({ withdrawals }) => withdrawals.createOnce({ ...payout, recipientAdress: "" } as never),
      "recipientAdress",
      "Did you mean recipientAddress?",
    ],
    [
      "a key for createOnce",
      ({ withdrawals }) => withdrawals.createOnce(payout, { idempotencyKey: "1" } as never),
      "idempotencyKey",
      "There is no option",
    ],
    [
      "a misspelt option of createOnce",
      ({ withdrawals }) => withdrawals.createOnce(payout, { deadlinems: 1 } as never),
      "deadlinems",
      "Did you mean deadlineMs?",
    ],
    [
      "an option among the filters",
      ({ payments }) => payments.list({ prefetch: 2 } as never),
      "prefetch",
      "the call's last argument",
    ],
    [
      "a filter among the options",
      ({ payments }) => payments.list({}, { status: "pending" } as never),
      "status",
      "There is no option",
    ],
    [
      "a misspelt filter",
      ({ withdrawals }) => withdrawals.list({ state: "pending" } as never),
      "state",
      "Did you mean status?",
    ],
    [
      "a filter by orderId",
      ({ withdrawals }) => withdrawals.list({ orderId: "1" } as never),
      "orderId",
      "Use findByOrderId",
    ],
    [
      "nothing in place of parameters",
      ({ payments }) => payments.create(undefined as never),
      "parameters",
      "The parameters must be an object, got undefined.",
    ],
    [
      "null in place of filters",
      ({ payments }) => payments.list(null as never),
      "query",
      "must be an object, got null",
    ],
    [
      "null in place of the filters of tokens",
      ({ tokens }) => tokens.list(null as never),
      "query",
      "must be an object, got null",
    ],
    [
      "a malformed chainId in the filters of tokens",
      ({ tokens }) => tokens.list({ chainId: "8453" as never }),
      "chainId",
      'must be the number of an EVM chain, such as 8453, got "8453"',
    ],
    [
      "a misspelt option of a lookup",
      ({ withdrawals }) => withdrawals.findByOrderId("1", { createdafter: "" } as never),
      "createdafter",
      "createdAfter",
    ],
    [
      "a misspelt option of a wait",
      ({ withdrawals }) => withdrawals.waitUntilFinal("1", { intervalMs: 1 } as never),
      "intervalMs",
      "There is no option",
    ],
    [
      "a misspelt option of a read",
      ({ payments }) => payments.get("1", { timeout: 1 } as never),
      "timeout",
      "timeoutMs",
    ],
  ])("is refused with the right one: %s", async (_, call, param, cure) => {
    const sandbox = createSandbox();
    const error = await Promise.resolve(call(clientOf(sandbox))).then(String, (thrown) => thrown);
    expect(error).toMatchObject({ param, outcome: "not_sent", attempts: 0 });
    expect(error.operation).toMatch(/^(request|\w+(\.\w+)+)$/);
    expect(error.message).toContain(cure);
    expect(sandbox.requests()).toEqual([]);
  });

  test("is accepted if its value is undefined", async () => {
    const { payments } = clientOf(createSandbox());
    await payments.create({ ...order, amountInCents: undefined } as never);
  });
});

test.each<[string, (sandbox: Sandbox) => unknown, string]>([
  ["a fault", ({ faults }) => faults.latency("*", 5, { tims: 2 } as never), "times"],
  ["a disorder", ({ webhooks }) => webhooks.disorder("delay", { tims: 2 } as never), "times"],
  ["a replay", ({ webhooks }) => webhooks.replay("1", { bye: 2 } as never), "by"],
  ["a listener", ({ listen }) => listen({ prt: 0 } as never), "port"],
  ["a payment", ({ payments: p }) => p.simulate("1", "late", { step: 1 } as never), "steps"],
  ["a payout", ({ withdrawals: w }) => w.simulate("1", "fail", { step: 1 } as never), "steps"],
  ["msw", (sandbox) => sandboxHandlers(sandbox, { baseurl: "" } as never), "baseUrl"],
])("a misspelt option of the sandbox is refused with the right one: %s", async (_, call, right) => {
  const error = await (async () => call(createSandbox()))().then(String, (thrown) => thrown);
  expect(error).toMatchObject({ code: "unknown_option" });
  expect(error.message).toContain(`Did you mean ${right}?`);
});

test.each([
  ["a bigint", { amountInCents: 12_500n }, "12500n"],
  ["long text", { recipientAddress: `0x${"a".repeat(80)}` }, "80 characters long"],
  [
    "a letter beyond f",
    { recipientAddress: `0x${"1".repeat(39)}g` },
    "with other characters in it",
  ],
  ["long text as currency", { currency: "x".repeat(100) }, "(100 characters)"],
  ["a long orderId", { orderId: "x".repeat(300) }, "has 300"],
])("a message prints %s as it was given", async (_, change, printed) => {
  const { withdrawals } = clientOf(createSandbox());
  const error = await withdrawals.create({ ...payout, ...change } as never).catch((e) => e);
  expect(error.message).toContain(printed);
});

test.each([
  ["payments", "amountCents", "amount"],
  ["payments", "returnUrl", "redirectUrl"],
  ["withdrawals", "address", "recipientAddress"],
  ["withdrawals", "chain", "chainId"],
] as const)("%s.create refuses %s, and suggests %s", async (resource, name, right) => {
  const creating = clientOf(createSandbox())[resource].create({ [name]: 1 } as never);
  await expect(creating).rejects.toThrow(`Did you mean ${right}?`);
});

test("withdrawals to non-EVM chains are refused with that reason", async () => {
  const { withdrawals } = clientOf(createSandbox());
  const chainId = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp";
  await expect(withdrawals.create({ ...payout, chainId } as never)).rejects.toMatchObject({
    param: "chainId",
    message: expect.stringContaining("Withdrawals go to EVM chains only"),
  });
});

test("a list ignores undefined values, even under a name that is not a filter", async () => {
  const { payments } = clientOf(createSandbox());
  const page = await payments.list({ status: undefined, stauts: undefined } as never);
  expect(page.data).toEqual([]);
});
