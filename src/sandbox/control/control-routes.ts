import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { streamSSE } from "hono/streaming";
import type { Duration } from "../../duration.ts";
import { isRecord, parsedJson } from "../../values.ts";
import { credentialHeader } from "../../wire/credential.ts";
import type { Operation } from "../../wire/operation.ts";
import { createPayment, createWithdrawal } from "../../wire/operations.ts";
import type { Events } from "../event-bus.ts";
import type { Frequency } from "../faults/fault.ts";
import type { Sandbox } from "../sandbox.ts";
import { Refusal, respond, type ServiceEnv } from "../service/answers.ts";
import type { WithdrawalIdempotency } from "../service/idempotency.ts";
import type { SandboxMerchant } from "../service/merchants.ts";
import { parseObject, refuseField } from "../service/validation.ts";

/**
 * The control API: GET reads the sandbox as JSON, POST controls it. The sandbox validates every name and value, as it
 * does in process.
 */
export function controlRoutes(sandbox: Sandbox, events: Events): Hono<ServiceEnv> {
  const { payments, withdrawals, clock, webhooks, faults, dropped } = sandbox;
  const routes = new Hono<ServiceEnv>();
  routes.use(limitBody);

  function get(path: string, read: (id: string) => unknown): void {
    routes.get(path, (c) => respond(c, 200, read(c.req.param("id") ?? "")));
  }

  /**
   * Adds a route that calls a method of the sandbox with the `id` in the path, the named fields, and the other fields
   * as options. The method validates them. Responds with its result, or with 204 if there is none.
   */
  function post(path: string, call: (...given: never[]) => unknown, ...names: string[]): void {
    routes.post(path, async (c) => {
      const fields = parseObject((await c.req.text()) || "{}");
      if (fields.times === "always") fields.times = Number.POSITIVE_INFINITY;
      const options = Object.entries(fields).filter(([name]) => !names.includes(name));
      const id = path.includes(":id") ? [c.req.param("id")] : [];
      const given = [...id, ...names.map((name) => fields[name]), Object.fromEntries(options)];
      const result = await call(...(given as never[]));
      return result === undefined ? c.body(null, 204) : respond(c, 200, result);
    });
  }

  get("/requests", () => ({ data: sandbox.requests(), dropped: dropped().requests }));
  get("/merchants", () => ({ data: sandbox.merchants.map(withoutSecrets) }));
  get("/timeline", () => ({ data: events.entries(), dropped: dropped().timelineEntries }));
  routes.get("/events", (c) => streamEvents(c, events));

  // These act as a merchant's server: their requests are recorded, subject to faults, and can be rejected, like any other.
  routes.post("/payments", async (c) => {
    const answer = await send(c, sandbox, createPayment);
    const created = parsedJson(await answer.clone().text());
    // The response of a fault can be anything.
    if (!answer.ok || !isRecord(created)) return answer;
    const { paymentId, paymentUrl } = created;
    // Leave out the payment secret: the page at paymentUrl has it.
    return respond(c, answer.status, { paymentId, paymentUrl });
  });
  routes.post("/withdrawals", (c) => send(c, sandbox, createWithdrawal));

  // These act as customers, and as the service when it processes withdrawals.
  for (const [kind, records] of Object.entries({ payments, withdrawals })) {
    get(`/${kind}`, () => ({ data: records.all() }));
    get(`/${kind}/:id/upcoming`, (id) => ({ data: records.upcoming(id) }));
    post(`/${kind}/:id/step`, records.step);
    post(`/${kind}/:id/simulate`, records.simulate, "scenario");
  }

  get("/withdrawal-idempotency", () => ({ withdrawalIdempotency: sandbox.withdrawalIdempotency }));
  const repeatWithdrawals = (value: WithdrawalIdempotency) => {
    sandbox.withdrawalIdempotency = value;
  };
  post("/withdrawal-idempotency", repeatWithdrawals, "withdrawalIdempotency");

  get("/clock", () => ({ now: clock.now() }));
  const advance = async (duration: Duration) => {
    const happened = await clock.advance(duration);
    return { now: clock.now(), happened };
  };
  post("/clock/advance", advance, "duration");
  // POST, because the response contains secrets: no link, address bar or history entry can request it.
  post("/save", sandbox.save);
  post("/load", sandbox.load);
  post("/reset", sandbox.reset);

  get("/deliveries", () => ({ data: webhooks.deliveries(), dropped: dropped().deliveries }));
  post("/deliveries/:id/replay", webhooks.replay);
  get("/disorders", () => ({ data: webhooks.disorders().map(frequencyAsJson) }));
  post("/disorders", webhooks.disorder, "kind");
  post("/disorders/clear", webhooks.clearDisorders);

  get("/faults", () => ({ data: faults.waiting().map(frequencyAsJson), limit: faults.limit() }));
  post("/faults", faults.next, "route", "fault");
  post("/faults/rate-limit", faults.rateLimit, "limit");
  post("/faults/clear", faults.clear);
  return routes;
}

/** In bytes: a saved sandbox of about 10,000 payments. */
const maxSize = 128 * 1_048_576;

const limitBody = bodyLimit({
  maxSize,
  onError() {
    const message = `The body is larger than ${maxSize} bytes. Call the sandbox in process instead.`;
    throw new Refusal(413, { code: "body_too_large", message });
  },
});

async function send(
  c: Context<ServiceEnv>,
  { merchants, fetch, headerPrefix }: Sandbox,
  { method, path }: Operation<unknown>,
): Promise<Response> {
  const fields = parseObject((await c.req.text()) || "{}");
  const { merchantId = merchants[0]?.merchantId, ...given } = fields;
  const merchant = merchants.find((it) => it.merchantId === merchantId);
  const ids = merchants.map((it) => it.merchantId).join(", ");
  if (!merchant) throw refuseField(422, "merchantId", `must be one of this sandbox's: ${ids}.`);
  const { name } = credentialHeader("secretKey", headerPrefix);
  const headers = { [name]: merchant.secretKey, "Content-Type": "application/json" };
  const body = JSON.stringify({ currency: "USD", ...given });
  try {
    const answer = await fetch(new Request(new URL(path, c.req.url), { method, headers, body }));
    // A response without a body may have a status that allows none.
    return new Response(answer.body && (await answer.text()), answer);
  } catch {
    const message =
      "A fault broke the connection. The timeline shows whether the request took effect.";
    throw new Refusal(502, { code: "no_answer", message });
  }
}

/** Streams new events as server-sent events, each as JSON. */
function streamEvents(c: Context<ServiceEnv>, events: Events): Response {
  return streamSSE(c, async (stream) => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    stream.onAbort(end);
    let backlog = 0;
    const unsubscribe = events.subscribe(async (event) => {
      // Disconnect slow readers; EventSource reconnects.
      if (++backlog >= 1_000) end();
      await stream.writeSSE({ data: JSON.stringify(event) });
      backlog--;
    });
    // Sent immediately, so that the client sees the connection open and knows its reconnection delay.
    void stream.write("retry: 1000\n\n");
    // Readers give up on a silent connection: the fetch of Node.js after five minutes.
    const heartbeat = setInterval(() => void stream.write(":\n\n"), 30_000);
    await ended;
    clearInterval(heartbeat);
    unsubscribe();
  });
}

function withoutSecrets(merchant: SandboxMerchant) {
  const { secretKey: _key, webhookSecret: _webhooks, accessToken: _token, ...rest } = merchant;
  return rest;
}

/** JSON has no Infinity. */
function frequencyAsJson<Item extends Frequency>(item: Item) {
  return { ...item, times: Number.isFinite(item.times) ? item.times : "always" };
}
