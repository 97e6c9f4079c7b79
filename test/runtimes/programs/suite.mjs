// A merchant's code for every runtime. It is plain JavaScript and receives the modules, so that each runtime can load
// them in its own way.

/** Runs every check; the result names each one as "passed", "does not apply", or its failure. */
export async function runSuite(modules, setting) {
  const results = {};
  for (const [name, check] of Object.entries(checks)) {
    try {
      results[name] = (await check(modules, setting)) ?? "passed";
    } catch (error) {
      results[name] = `failed: ${error?.stack ?? error}`;
    }
  }
  return results;
}

const checks = { create, once, list, webhooks, checkout, errors, sandbox };
const order = { amount: 2500, orderId: "order_1" };

async function create(modules, setting) {
  if (setting.isBrowser) {
    const refused = await failureOf((async () => clientOf(modules, setting))());
    equal(refused.code, "secret_key_in_browser", "a page may not hold the secret key");
    return;
  }
  const client = clientOf(modules, setting);
  const { data, status, attempts } = await client.payments.create(order).withResponse();
  equal(status, 201, "status of the creation");
  equal(attempts, 1, "attempts");
  equal(data.payment.status, "pending", "status of the payment");
  equal(data.payment.amountInCents, 2500, "amount");
  ok(data.paymentUrl.endsWith(`/payment/${data.paymentId}`), "payment URL");
}

/** A runtime may send a request again by itself when a connection that it reuses breaks. */
async function once(modules, setting) {
  if (setting.isBrowser) return "does not apply";
  const { breakingUrl } = setting;
  const client = clientOf(modules, { ...setting, baseUrl: breakingUrl });
  const recipientAddress = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
  const payout = { amountInCents: 2500, chainId: 8453, recipientAddress };
  const calls = [
    () => client.withdrawals.create(payout),
    () => client.payments.create(order, { maxRetries: 0 }),
    () => client.request({ method: "POST", path: "/v1/cancel" }),
    () => client.request({ method: "DELETE", path: "/v1/item" }),
  ];
  // Until the runtime has removed a broken connection, or put a used one back.
  const settled = () => new Promise((resolve) => setTimeout(resolve, 100));
  for (const call of calls) {
    await settled();
    await client.withdrawals.list();
    await settled();
    const error = await failureOf(call());
    equal(error.outcome, "unknown", "outcome of a creation whose connection broke");
  }
  const { changes } = await (await fetch(breakingUrl)).json();
  equal(changes.length, calls.length, "requests that arrived");
  // On Bun, a request that may not be sent again gets a connection of its own.
  ok(
    globalThis.Bun || changes.every(({ isWarm }) => isWarm),
    "requests on connections that had been used",
  );
}

async function list(modules, setting) {
  if (setting.isBrowser) return "does not apply";
  const client = clientOf(modules, setting);
  const orderIds = ["list_1", "list_2", "list_3", "list_4", "list_5"];
  for (const orderId of orderIds) await client.payments.create({ ...order, orderId });
  const found = [];
  for await (const payment of client.payments.list({ limit: 2 })) found.push(payment.orderId);
  equal(
    found.filter((orderId) => orderId.startsWith("list_")).sort(),
    orderIds,
    "orders across pages",
  );
}

async function webhooks({ webhooks }, { hasNodeCrypto, delivery }) {
  const { WebhookVerificationError, ConfigurationError } = webhooks;
  const { secret, body, headers } = delivery;
  const receiver = new webhooks.Webhooks({ secret });
  const request = () => new Request("https://shop.example/", { method: "POST", body, headers });

  equal((await receiver.verify({ body, headers })).data.orderId, "order_ü", "verify");
  equal((await receiver.verify(request())).data.orderId, "order_ü", "verify of a Request");
  const tampered = { body: body.replace("completed", "confirmed"), headers };
  const error = await failureOf(receiver.verify(tampered));
  ok(WebhookVerificationError.is(error), "a tampered body is refused");
  equal(error.reason, "signature_mismatch", "reason");
  equal((await receiver.fetchHandler()(request())).status, 200, "answer of the handler");

  if (!hasNodeCrypto) {
    const absent = await failureOf((async () => receiver.verifySync({ body, headers }))());
    ok(ConfigurationError.is(absent), "verifySync says that it needs node:crypto");
    return;
  }
  equal(receiver.verifySync({ body, headers }).data.orderId, "order_ü", "verifySync");
  const refused = await failureOf((async () => receiver.verifySync(tampered))());
  equal(refused.reason, "signature_mismatch", "verifySync of a tampered body");
  if (/^Node/.test(globalThis.navigator?.userAgent)) await refusalOverHttp2(receiver);
}

/** Versions of Node differ in what they still send of a response whose stream closes. */
async function refusalOverHttp2(receiver) {
  const { connect, createServer } = process.getBuiltinModule("node:http2");
  const server = createServer(receiver.nodeHandler());
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const session = connect(`http://127.0.0.1:${server.address().port}`);
  try {
    const status = await new Promise((resolve, reject) => {
      const stream = session.request({ ":method": "POST" });
      stream.on("response", (headers) => resolve(headers[":status"]));
      stream.on("close", () => reject(new Error("The stream closed without a response.")));
      stream.write("the beginning of a body");
    });
    equal(status, 401, "answer over HTTP/2 before the body has ended");
  } finally {
    session.destroy();
    server.close();
  }
}

async function checkout(modules, setting) {
  const { baseUrl, payUrl } = setting;
  const { paymentId, secret } =
    setting.created ?? (await clientOf(modules, setting).payments.create(order));
  const { CheckoutClient } = modules.checkout;
  const customer = new CheckoutClient({ paymentId, secret, baseUrl, environment: "sandbox" });

  equal((await customer.status()).status, "pending", "status");
  const [quote] = await customer.quotes.list();
  const payment = await customer.payment();
  const request = customer.paymentRequest(payment, quote);
  ok(/^0x[0-9a-fA-F]{40}$/.test(request.address), "address to pay to");
  ok(request.addressQrSvg().startsWith("<svg"), "QR code");
  const { contractAddress } = quote.token;
  const created = await customer.quotes.create({ chainId: quote.chainId, contractAddress });
  equal(created.token.symbol, quote.token.symbol, "token of the new quote");

  const seen = [];
  for await (const { status } of customer.watch({ intervalMs: 20 })) {
    seen.push(status);
    if (status === "pending") await fetch(payUrl + paymentId, { method: "POST" });
  }
  equal([seen[0], seen.at(-1)], ["pending", "completed"], "first and last status watched");
}

async function errors(modules, setting) {
  const { settlekit, webhooks } = modules;
  const { NotFoundError, ApiError, AuthenticationError, InvalidRequestError } = settlekit;
  equal(settlekit.SettlekitError === webhooks.SettlekitError, true, "one class in all entries");
  if (setting.isBrowser) {
    const { CheckoutClient } = modules.checkout;
    const { paymentId } = setting.created;
    const { baseUrl } = setting;
    const options = { paymentId, secret: "ps_wrong", baseUrl, environment: "sandbox" };
    const refused = await failureOf(new CheckoutClient(options).status());
    ok(AuthenticationError.is(refused) && refused instanceof ApiError, "a wrong payment secret");
    return;
  }
  const client = clientOf(modules, setting);
  const id = "00000000-0000-4000-8000-000000000000";
  const unknown = await failureOf(client.payments.get(id));
  ok(NotFoundError.is(unknown) && unknown instanceof ApiError, "an unknown payment");
  equal(unknown.status, 404, "its status");
  equal(unknown.outcome, "rejected", "its outcome");
  ok(typeof unknown.requestId === "string", "its request id");

  const tooMuch = await failureOf(client.payments.create({ ...order, amount: 0.5 }));
  ok(InvalidRequestError.is(tooMuch), "an impossible amount");
  equal([tooMuch.param, tooMuch.outcome], ["amount", "not_sent"], "its field and outcome");

  const wrong = clientOf(modules, { ...setting, secretKey: "sk_test_wrong" });
  ok(AuthenticationError.is(await failureOf(wrong.payments.list())), "a wrong key");
}

/** The sandbox inside the runtime, as a merchant's tests use it. */
async function sandbox({ settlekit, webhooks, sandbox }, { canListen }) {
  if (sandbox === undefined) return "does not apply";
  const secret = { current: "" };
  const received = [];
  const service = sandbox.createSandbox({
    async deliver(request) {
      const receiver = new webhooks.Webhooks({ secret: secret.current });
      received.push((await receiver.verify(request)).data.status);
      return new Response();
    },
  });
  secret.current = service.webhookSecret;
  const server = canListen ? await service.listen({ port: 0 }) : undefined;
  try {
    const client = new settlekit.MerchantClient({
      secretKey: service.secretKey,
      environment: "sandbox",
      ...(server
        ? { baseUrl: server.url }
        : { fetch: (url, init) => service.fetch(new Request(url, init)) }),
    });
    const { paymentId } = await client.payments.create(order);
    await service.payments.simulate(paymentId, "success");
    await service.webhooks.idle();
    equal(received.at(-1), "completed", "status in the last webhook");
    equal((await client.payments.get(paymentId)).status, "completed", "status of the payment");
  } finally {
    // A listening server would keep the program alive.
    await server?.close();
  }
}

function clientOf({ settlekit }, { baseUrl, secretKey }) {
  return new settlekit.MerchantClient({ secretKey, environment: "sandbox", baseUrl });
}

async function failureOf(promise) {
  const nothing = {};
  const error = await promise.then(
    () => nothing,
    (thrown) => thrown,
  );
  ok(error !== nothing, "expected a failure");
  return error;
}

function ok(condition, what) {
  if (!condition) throw new Error(`expected: ${what}`);
}

function equal(actual, expected, what) {
  const [is, due] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== due) throw new Error(`${what}: ${is} instead of ${due}`);
}
