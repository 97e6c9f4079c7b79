import { type Context, Hono } from "hono";
import { streamSSE } from "hono/streaming";
import type { Duration } from "../../duration.ts";
import { credentialHeader } from "../../wire/credential.ts";
import type { Operation } from "../../wire/operation.ts";
import { createPayment, createWithdrawal } from "../../wire/operations.ts";
import type { Events } from "../event-bus.ts";
import type { SandboxEvent } from "../events.ts";
import type { Fault, FaultRoute } from "../faults/fault.ts";
import type { RateLimit } from "../faults/rate-limit.ts";
import type { Frequency } from "../faults/waiting-list.ts";
import type { Sandbox } from "../sandbox.ts";
import { answerJson, Refusal, type ServiceEnv } from "../service/answers.ts";
import type { SandboxMerchant } from "../service/merchants.ts";
import type { PaymentScenario } from "../service/payment-scenarios.ts";
import type { ScenarioSteps } from "../service/scenarios.ts";
import { parseJson, refuseField } from "../service/validation.ts";
import type { WithdrawalScenario } from "../service/withdrawal-scenarios.ts";
import type { SavedSandbox } from "../state/state.ts";
import type { DisorderKind, DisorderOptions } from "../webhooks/disorder.ts";
import { checkControlRequest, fields, limitBody } from "./guard.ts";

type ControlContext = Context<ServiceEnv>;

/**
 * A sandbox as JSON: read with GET, controlled with POST. The sandbox itself checks every value, as it does in
 * process.
 */
export function controlRoutes(sandbox: Sandbox, events: Events): Hono<ServiceEnv> {
  const routes = new Hono<ServiceEnv>();
  routes.use(checkControlRequest, limitBody);

  routes.get("/requests", (c) =>
    answerJson(c, 200, { data: sandbox.requests(), dropped: sandbox.dropped().requests }),
  );
  routes.get("/merchants", (c) => list(c, sandbox.merchants.map(withoutSecrets)));
  routes.get("/timeline", (c) =>
    answerJson(c, 200, { data: events.entries(), dropped: events.dropped() }),
  );
  routes.get("/events", (c) => streamEvents(c, events));

  addShop(routes, sandbox);
  addScenarios(routes, sandbox);
  addState(routes, sandbox);
  addWebhooks(routes, sandbox);
  addFaults(routes, sandbox);
  return routes;
}

/** Plays a merchant's server. Its requests are recorded, meet faults, and are refused like any others. */
function addShop(routes: Hono<ServiceEnv>, sandbox: Sandbox): void {
  routes.post("/payments", async (c) => {
    const answer = await send(c, sandbox, createPayment);
    if (!answer.ok) return answer;
    const { paymentId, paymentUrl } = (await answer.json()) as Record<string, unknown>;
    // Not the payment's secret: the page that paymentUrl opens has it.
    return answerJson(c, answer.status, { paymentId, paymentUrl });
  });
  routes.post("/withdrawals", (c) => send(c, sandbox, createWithdrawal));
}

/** @returns The service's answer. */
async function send(
  c: ControlContext,
  { merchants, fetch, headerPrefix }: Sandbox,
  { method, path }: Operation<unknown>,
): Promise<Response> {
  const { merchantId = merchants[0]?.merchantId, ...given } = await fields(c);
  const merchant = merchants.find((it) => it.merchantId === merchantId);
  if (merchant === undefined) throw refuseField(422, "merchantId", "belongs to no merchant here.");
  const { name } = credentialHeader("secretKey", headerPrefix);
  const headers = { [name]: merchant.secretKey, "Content-Type": "application/json" };
  const body = JSON.stringify({ currency: "USD", ...given });
  try {
    const answer = await fetch(new Request(new URL(path, c.req.url), { method, headers, body }));
    const text = await answer.text();
    const type = answer.headers.get("Content-Type") ?? "text/plain";
    return new Response(text, { status: answer.status, headers: { "Content-Type": type } });
  } catch {
    throw new Refusal({
      status: 502,
      type: "api_error",
      code: "no_answer",
      message: "A fault broke the connection. The timeline shows whether the request took effect.",
    });
  }
}

/** Plays customers, and the service's handling of withdrawals. */
function addScenarios(routes: Hono<ServiceEnv>, { payments, withdrawals }: Sandbox): void {
  routes.get("/payments", (c) => list(c, payments.all()));
  routes.get("/payments/:id/upcoming", (c) => list(c, payments.upcoming(c.req.param("id"))));
  routes.post("/payments/:id/simulate", async (c) => {
    const { scenario, amountInCents, steps } = await fields(c);
    const options = {
      amountInCents: amountInCents as number | undefined,
      steps: steps as ScenarioSteps | undefined,
    };
    const id = c.req.param("id");
    return answerJson(c, 200, await payments.simulate(id, scenario as PaymentScenario, options));
  });
  routes.post("/payments/:id/step", async (c) => {
    await fields(c);
    return answerJson(c, 200, await payments.step(c.req.param("id")));
  });

  routes.get("/withdrawals", (c) => list(c, withdrawals.all()));
  routes.get("/withdrawals/:id/upcoming", (c) => list(c, withdrawals.upcoming(c.req.param("id"))));
  routes.post("/withdrawals/:id/simulate", async (c) => {
    const { scenario, steps } = await fields(c);
    const options = { steps: steps as ScenarioSteps | undefined };
    const id = c.req.param("id");
    const simulated = await withdrawals.simulate(id, scenario as WithdrawalScenario, options);
    return answerJson(c, 200, simulated);
  });
  routes.post("/withdrawals/:id/step", async (c) => {
    await fields(c);
    return answerJson(c, 200, await withdrawals.step(c.req.param("id")));
  });
}

/** Moves the clock; saves, loads and resets everything that the sandbox remembers. */
function addState(routes: Hono<ServiceEnv>, sandbox: Sandbox): void {
  const { clock } = sandbox;
  routes.get("/clock", (c) => answerJson(c, 200, { now: clock.now() }));
  routes.post("/clock/advance", async (c) => {
    const { duration } = await fields(c);
    const happened = await clock.advance(duration as Duration);
    return answerJson(c, 200, { now: clock.now(), happened });
  });
  // POST, because it holds secrets: no link, address bar or history can ask for it.
  routes.post("/save", async (c) => {
    await fields(c);
    return answerJson(c, 200, sandbox.save());
  });
  routes.post("/load", async (c) => {
    // The sandbox itself refuses what save did not give.
    sandbox.load(parseJson(await c.req.text()) as SavedSandbox);
    return c.body(null, 204);
  });
  routes.post("/reset", async (c) => {
    await fields(c);
    sandbox.reset();
    return c.body(null, 204);
  });
}

/** The webhooks that were sent, and the disorders that the next ones meet. */
function addWebhooks(routes: Hono<ServiceEnv>, { webhooks, dropped }: Sandbox): void {
  routes.get("/deliveries", (c) =>
    answerJson(c, 200, { data: webhooks.deliveries(), dropped: dropped().deliveries }),
  );
  routes.post("/deliveries/:id/replay", async (c) => {
    const { disorder, by } = await fields(c);
    const options = {
      disorder: disorder as DisorderKind | undefined,
      by: by as Duration | undefined,
    };
    return answerJson(c, 200, await webhooks.replay(c.req.param("id"), options));
  });
  routes.get("/disorders", (c) => list(c, webhooks.disorders().map(frequencyAsJson)));
  routes.post("/disorders", async (c) => {
    const { kind, event, by, ...rest } = await fields(c);
    const options = { event, by, ...frequencyOf(rest) } as DisorderOptions;
    webhooks.disorder(kind as DisorderKind, options);
    return c.body(null, 204);
  });
  routes.post("/disorders/clear", async (c) => {
    await fields(c);
    webhooks.clearDisorders();
    return c.body(null, 204);
  });
}

function addFaults(routes: Hono<ServiceEnv>, { faults }: Sandbox): void {
  routes.get("/faults", (c) =>
    answerJson(c, 200, { data: faults.waiting().map(frequencyAsJson), limit: faults.limit() }),
  );
  routes.post("/faults", async (c) => {
    const body = await fields(c);
    faults.next(body.route as FaultRoute, body.fault as Fault, frequencyOf(body));
    return c.body(null, 204);
  });
  routes.post("/faults/rate-limit", async (c) => {
    const { limit } = await fields(c);
    if (typeof limit !== "object") throw refuseField(400, "limit", "must be an object, or null.");
    faults.rateLimit(limit as RateLimit | null);
    return c.body(null, 204);
  });
  routes.post("/faults/clear", async (c) => {
    await fields(c);
    faults.clear();
    return c.body(null, 204);
  });
}

/** How many events are buffered for a slow reader. */
const maxBacklog = 1_000;

/** Server-sent events from now on: `entry` with an event of the timeline as JSON, and `reset`. */
function streamEvents(c: ControlContext, events: Events): Response {
  return streamSSE(c, async (stream) => {
    const backlog: SandboxEvent[] = [];
    let isEnded = false;
    let wake = () => {};
    const end = () => {
      isEnded = true;
      unsubscribe();
      wake();
    };
    const unsubscribe = events.subscribe((event) => {
      backlog.push(event);
      // Disconnect slow readers; EventSource reconnects.
      if (backlog.length >= maxBacklog) end();
      wake();
    });
    stream.onAbort(end);
    // Sent at once, so that the reader sees the connection open and knows when to reconnect.
    await stream.write("retry: 1000\n\n");
    while (!stream.aborted) {
      const event = backlog.shift();
      if (event?.type === "reset") await stream.writeSSE({ event: "reset", data: "null" });
      else if (event) await stream.writeSSE({ event: "entry", data: JSON.stringify(event) });
      else if (isEnded) return;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  });
}

function list(c: ControlContext, data: readonly unknown[]): Response {
  return answerJson(c, 200, { data });
}

function withoutSecrets(merchant: SandboxMerchant) {
  const { secretKey: _key, webhookSecret: _webhooks, accessToken: _token, ...rest } = merchant;
  return rest;
}

/** JSON has no Infinity. */
function frequencyOf({ times, probability }: Readonly<Record<string, unknown>>): Frequency {
  return {
    times: times === "always" ? Number.POSITIVE_INFINITY : (times as number | undefined),
    probability: probability as number | undefined,
  };
}

function frequencyAsJson<Item extends Frequency>(item: Item) {
  return { ...item, times: Number.isFinite(item.times) ? item.times : "always" };
}
