import { HttpResponse, http } from "msw/http";
import { setupServer } from "msw/node";
import { AbortError, MerchantClient, NotFoundError, OutcomeUnknownError } from "settlekit";
import { createSandbox, type Sandbox } from "settlekit/sandbox";
import { sandboxHandlers } from "settlekit/testing/msw";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  expect,
  onTestFinished,
  test,
  vi,
} from "vitest";

const network = setupServer();
let sandbox: Sandbox;
/** Here msw reports exceptions in handlers. */
const complaints = vi.spyOn(console, "error").mockImplementation(() => undefined);

beforeAll(() => network.listen({ onUnhandledFrame: "error" }));
beforeEach(() => {
  sandbox = createSandbox();
  network.use(...sandboxHandlers(sandbox));
});
afterEach(() => {
  network.resetHandlers();
  complaints.mockClear();
});
afterAll(() => network.close());

const order = { amount: 2500, orderId: "order_1" };

function clientOf(options: ConstructorParameters<typeof MerchantClient>[0] = {}) {
  return new MerchantClient({ environment: "sandbox", secretKey: sandbox.secretKey, ...options });
}

test("a client without further configuration reaches the sandbox", async () => {
  const client = clientOf();
  const { paymentId } = await client.payments.create(order);
  await sandbox.payments.simulate(paymentId, "success");
  expect((await client.payments.get(paymentId)).status).toBe("completed");
  expect((await client.payments.list().toArray({ limit: 10 })).map(({ id }) => id)).toEqual([
    paymentId,
  ]);
});

test("handlers use SETTLEKIT_SANDBOX_URL if it is set, like the client", async () => {
  vi.stubEnv("SETTLEKIT_SANDBOX_URL", "http://127.0.0.1:4011");
  onTestFinished(() => void vi.unstubAllEnvs());
  network.use(...sandboxHandlers(sandbox));
  const client = clientOf();
  expect(client.baseUrl).toBe("http://127.0.0.1:4011");
  expect(await client.payments.create(order)).toHaveProperty("secret");
});

test("the payment URL, the request id and the body arrive as the sandbox sent them", async () => {
  const { data, requestId, status } = await clientOf().payments.create(order).withResponse();
  expect(status).toBe(201);
  expect(data.paymentUrl).toBe(`http://127.0.0.1:4010/payment/${data.paymentId}`);
  expect(sandbox.requests()).toMatchObject([
    { requestId, status: 201, body: expect.stringContaining('"amount":2500') },
  ]);
});

test("a base URL may have a path, which the sandbox does not see", async () => {
  const baseUrl = "https://pay.example/crypto(v1)/:tenant";
  network.use(...sandboxHandlers(sandbox, { baseUrl }));
  const client = clientOf({ baseUrl, environment: "testnet" });
  const { paymentId } = await client.payments.create(order);
  expect((await client.payments.get(paymentId)).id).toBe(paymentId);
  expect(sandbox.requests().map(({ path }) => path)).toEqual([
    "/v1/external/secretkey-auth/payments",
    `/v1/external/secretkey-auth/payments/${paymentId}`,
  ]);
});

test.each([
  "https://pay.example/other/v1/x",
  "https://pay.example/crypto-other/v1/x",
  "https://pay.example/crypto",
  "http://pay.example/crypto/v1/x",
])("a request outside the base URL is left to other handlers: %s", async (url) => {
  network.use(http.get("*", () => HttpResponse.text("other handler")));
  network.use(...sandboxHandlers(sandbox, { baseUrl: "https://pay.example/crypto" }));
  expect(await (await fetch(url)).text()).toBe("other handler");
  expect(sandbox.requests()).toEqual([]);
});

test("two sandboxes at two base URLs are independent", async () => {
  const other = createSandbox();
  network.use(...sandboxHandlers(other, { baseUrl: new URL("https://other.example/") }));
  const { paymentId } = await clientOf().payments.create(order);
  const otherClient = clientOf({
    environment: "testnet",
    baseUrl: "https://other.example",
    secretKey: other.secretKey,
  });
  await expect(otherClient.payments.get(paymentId)).rejects.toThrow(NotFoundError);
});

test("an unknown path is answered by the sandbox, not left unhandled", async () => {
  const response = await fetch("http://127.0.0.1:4010/v1/nothing");
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: { code: "unknown_route" } });
});

test("a preflight request from a customer's browser is allowed", async () => {
  const { paymentId } = await clientOf().payments.create(order);
  const url = `http://127.0.0.1:4010/v1/external/payment-secret-auth/payments/${paymentId}`;
  const response = await fetch(url, { method: "OPTIONS" });
  expect(response.status).toBe(204);
  expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
});

test.each([
  ["a reset before anything happened", { connection: "reset", when: "before" }],
  ["a reset after the creation", { connection: "reset", when: "after" }],
  ["half a response, then a reset", { connection: "reset", when: "mid-answer" }],
  ["half a response", { connection: "truncated" }],
  ["503 after the creation", { status: 503, when: "after" }],
] as const)("%s leaves the outcome unknown, as it does over a socket", async (_, fault) => {
  sandbox.faults.next("POST /payments", fault);
  const client = clientOf({ maxRetries: 0 });
  const options = { idempotencyKey: "key_1" };
  await expect(client.payments.create(order, options)).rejects.toThrow(OutcomeUnknownError);
  const { paymentId } = await client.payments.create(order, options);
  expect(sandbox.payments.all().map(({ id }) => id)).toEqual([paymentId]);
});

test("a request that is aborted while the sandbox handles it rejects as aborted", async () => {
  const controller = new AbortController();
  const impatient = {
    fetch(request: Request) {
      controller.abort();
      return sandbox.fetch(request);
    },
  };
  network.use(...sandboxHandlers(impatient));
  const creating = clientOf().payments.create(order, { signal: controller.signal });
  await expect(creating).rejects.toThrow(AbortError);
  // The handler ends later than the call.
  await new Promise((resolve) => setImmediate(resolve));
  expect(complaints).not.toHaveBeenCalled();
});

test.each([new RangeError("a mistake"), new TypeError("x is not a function")])(
  "an exception in the handlers' sandbox is not taken for a broken connection: %s",
  async (mistake) => {
    const broken = { fetch: () => Promise.reject(mistake) };
    network.use(...sandboxHandlers(broken));
    expect((await fetch("http://127.0.0.1:4010/v1/x")).status).toBe(500);
    expect(complaints).toHaveBeenCalledWith(mistake);
  },
);

test("a malformed base URL is refused when the handlers are created", () => {
  for (const baseUrl of ["pay.example", "localhost:4010", ""]) {
    expect(() => sandboxHandlers(sandbox, { baseUrl })).toThrow(
      expect.objectContaining({ name: "ConfigurationError", param: "baseUrl" }),
    );
  }
});

test("a missing sandbox is reported when the handlers are created, not taken for a broken connection", () => {
  for (const forgotten of [undefined, null, {}]) {
    expect(() => sandboxHandlers(forgotten as never)).toThrow(
      expect.objectContaining({ name: "ConfigurationError", param: "sandbox" }),
    );
  }
});
