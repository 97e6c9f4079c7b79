import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { createInbox } from "../src/inbox/index.ts";
import { ConfigurationError, MerchantClient } from "../src/index.ts";
import { instrument } from "../src/opentelemetry/index.ts";
import { createPayouts } from "../src/payouts/index.ts";
import { postgres } from "../src/stores/postgres.ts";
import { sqlite } from "../src/stores/sqlite.ts";
import { Webhooks } from "../src/webhooks/index.ts";

const client = new MerchantClient({ environment: "sandbox", secretKey: "sk_test_1" });
const webhooks = new Webhooks({ secret: "whsec_1" });
const store = sqlite(new DatabaseSync(":memory:"));
const inbox = createInbox({ client, webhooks, store });
const payouts = createPayouts({ client, store });
const order = { orderId: "o", amountInCents: 1, chainId: 8453, recipientAddress: "0x" };
const effect = () => {};

/** Calls that take options, each with a misspelt name and the name that was meant. */
const calls: Record<
  string,
  readonly [call: (options: never) => unknown, wrong: string, meant: string]
> = {
  createInbox: [(it) => createInbox({ client, store, ...(it as object) }), "onEvents", "onEvent"],
  "inbox.on": [(it) => inbox.on("payment", "ship", it, effect), "state", "states"],
  "inbox.start": [(it) => inbox.start(it), "concurency", "concurrency"],
  "inbox.nodeHandler": [(it) => inbox.nodeHandler(it), "tennant", "tenant"],
  "inbox.fetchHandler": [(it) => inbox.fetchHandler(it), "tenat", "tenant"],
  "inbox.lambdaHandler": [(it) => inbox.lambdaHandler(it), "tenants", "tenant"],
  "inbox.reconcile": [(it) => inbox.reconcile(it), "sinse", "since"],
  "inbox.settle": [(it) => inbox.settle(it), "tennant", "tenant"],
  "inbox.settleDue": [(it) => inbox.settleDue(it), "concurency", "concurrency"],
  createPayouts: [(it) => createPayouts({ client, store, ...(it as object) }), "limit", "limits"],
  "limits of createPayouts": [
    (limits) => createPayouts({ client, store, limits }),
    "perPayot",
    "perPayout",
  ],
  "payouts.plan": [(it) => payouts.plan(order, it), "bye", "by"],
  "payouts.approve": [(it) => payouts.approve("o", it), "reasons", "reason"],
  "payouts.reject": [(it) => payouts.reject("o", it), "resaon", "reason"],
  "payouts.cancel": [(it) => payouts.cancel("o", it), "reson", "reason"],
  "payouts.list": [(it) => payouts.list(it), "stat", "state"],
  "payouts.resolve": [(it) => payouts.resolve("o", it), "withdrawalID", "withdrawalId"],
  "payouts.start": [(it) => payouts.start(it), "poolMs", "pollMs"],
  "payouts.runDue": [(it) => payouts.runDue(it), "concurency", "concurrency"],
  "payouts.reopen": [(it) => payouts.reopen(it), "reasn", "reason"],
  "payouts.journal": [(it) => payouts.journal(it).next(), "orderID", "orderId"],
  sqlite: [(it) => sqlite(":memory:", it), "busyTimeout", "busyTimeoutMs"],
  postgres: [(it) => postgres({ connect: effect } as never, it), "shema", "schema"],
  instrument: [(it) => instrument(client, it), "identifier", "identifiers"],
};

describe("a misspelt option", () => {
  it.each(Object.entries(calls))("of %s is refused", async (_, [call, wrong, meant]) => {
    const run = async () => call({ [wrong]: 1 } as never);
    const error = await run().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ code: "unknown_option", param: wrong });
    expect(String(error)).toContain(`"${wrong}". Did you mean ${meant}?`);
  });

  it("or text in place of the options is refused without quoting it, because it may be a secret", () => {
    expect(() => createInbox("sk_test_1" as never)).toThrow(
      "The options must be an object, such as { client }.",
    );
  });
});

it.each([
  ["createInbox", "webhooks", () => createInbox({ client, store, webhooks: 5 as never })],
  ["createPayouts", "inbox", () => createPayouts({ client, store, inbox: {} as never })],
])("%s refuses a value of the wrong type as %s", (_, param, create) => {
  expect(create).toThrow(expect.objectContaining({ code: "invalid_option", param }));
});

it.each([
  ["checkout", () => client.checkout(undefined as never)],
  ["dashboard", () => client.dashboard(undefined as never)],
])("client.%s without its argument says what is missing", (_, call) => {
  expect(call).toThrow(expect.objectContaining({ code: "missing_credential" }));
});
