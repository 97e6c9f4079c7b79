import { Hono } from "hono";
import { jsonAnswer } from "../answer.ts";
import type { SandboxClock } from "../clock.ts";
import type { Duration } from "../duration.ts";
import type { Fault } from "../fault.ts";
import type { FaultRoute } from "../fault-route.ts";
import type { SandboxFaults } from "../faults.ts";
import type { PaymentScenario, SandboxPayments } from "../payment-scenarios.ts";
import type { RateLimit } from "../rate-limit.ts";
import type { ReceivedRequest } from "../request-log.ts";
import type { Timeline } from "../timeline.ts";
import { refuseField } from "../validation.ts";
import type { SandboxWebhooks } from "../webhook-deliveries.ts";
import type { SandboxWithdrawals, WithdrawalScenario } from "../withdrawal-scenarios.ts";
import { controlBody } from "./control-body.ts";
import { eventStream } from "./event-stream.ts";
import { checkControlRequest } from "./guard.ts";

/** The part of a sandbox that can be controlled from outside. */
export interface Controlled {
  readonly clock: SandboxClock;
  readonly payments: SandboxPayments;
  readonly withdrawals: SandboxWithdrawals;
  readonly faults: SandboxFaults;
  readonly webhooks: SandboxWebhooks;
  requests(): ReceivedRequest[];
  reset(): void;
}

/**
 * A sandbox as JSON: read with GET, controlled with POST. What a value may be is not checked here but by
 * the sandbox, as it is in process.
 */
export function controlRoutes(sandbox: Controlled, timeline: Timeline): Hono {
  const { payments, withdrawals, webhooks, clock, faults } = sandbox;
  const routes = new Hono();
  routes.use(async ({ req }, next) => {
    checkControlRequest(req.raw);
    await next();
  });

  routes.get("/requests", () => list(sandbox.requests()));
  routes.get("/deliveries", () => list(webhooks.deliveries()));
  routes.get("/payments", () => list(payments.all()));
  routes.get("/withdrawals", () => list(withdrawals.all()));
  routes.get("/timeline", () =>
    jsonAnswer(200, { data: timeline.entries(), dropped: timeline.dropped() }),
  );
  routes.get("/events", () => eventStream(timeline));
  routes.get("/clock", () => jsonAnswer(200, { now: clock.now() }));

  routes.post("/payments/:id/simulate", async ({ req }) => {
    const { scenario, amountInCents } = await controlBody(req.raw);
    const options = { amountInCents: amountInCents as number | undefined };
    const id = req.param("id");
    return jsonAnswer(200, await payments.simulate(id, scenario as PaymentScenario, options));
  });

  routes.post("/withdrawals/:id/simulate", async ({ req }) => {
    const { scenario } = await controlBody(req.raw);
    const id = req.param("id");
    return jsonAnswer(200, await withdrawals.simulate(id, scenario as WithdrawalScenario));
  });

  routes.post("/clock/advance", async ({ req }) => {
    const { duration } = await controlBody(req.raw);
    const happened = await clock.advance(duration as Duration);
    return jsonAnswer(200, { now: clock.now(), happened });
  });

  routes.post("/deliveries/:id/replay", async ({ req }) => {
    await controlBody(req.raw);
    return jsonAnswer(200, await webhooks.replay(req.param("id")));
  });

  routes.get("/faults", () =>
    list(
      faults
        .waiting()
        .map((it) => ({ ...it, times: Number.isFinite(it.times) ? it.times : "always" })),
    ),
  );

  routes.post("/faults", async ({ req }) => {
    const { route, fault, times } = await controlBody(req.raw);
    // JSON has no Infinity.
    const count = times === "always" ? Number.POSITIVE_INFINITY : (times as number | undefined);
    faults.next(route as FaultRoute, fault as Fault, { times: count });
    return done();
  });

  routes.post("/faults/rate-limit", async ({ req }) => {
    const { limit } = await controlBody(req.raw);
    if (typeof limit !== "object") throw refuseField(400, "limit", "must be an object, or null.");
    faults.rateLimit(limit as RateLimit | null);
    return done();
  });

  routes.post("/faults/clear", async ({ req }) => {
    await controlBody(req.raw);
    faults.clear();
    return done();
  });

  routes.post("/reset", async ({ req }) => {
    await controlBody(req.raw);
    sandbox.reset();
    return done();
  });

  return routes;
}

function list(data: readonly unknown[]): Response {
  return jsonAnswer(200, { data });
}

function done(): Response {
  return new Response(null, { status: 204 });
}
