import { Hono } from "hono";
import type { SandboxFaults } from "../faults/faults.ts";
import type { SandboxMerchant } from "../records/merchants.ts";
import type { DroppedCounts } from "../sandbox.ts";
import type { SandboxPayments } from "../scenarios/payment-scenarios.ts";
import type { SandboxWithdrawals } from "../scenarios/withdrawal-scenarios.ts";
import { jsonAnswer } from "../serving/web-response.ts";
import type { SavedSandbox } from "../state/state.ts";
import type { SandboxClock } from "../time/clock.ts";
import type { ReceivedRequest } from "../timeline/request-log.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { SandboxWebhooks } from "../webhooks/sandbox-webhooks.ts";
import { listAnswer } from "./control-answers.ts";
import { eventStream } from "./event-stream.ts";
import { faultControls } from "./fault-controls.ts";
import { checkControlRequest } from "./guard.ts";
import { scenarioControls } from "./scenario-controls.ts";
import { shopControls } from "./shop-controls.ts";
import { stateControls } from "./state-controls.ts";
import { webhookControls } from "./webhook-controls.ts";

/** The part of a sandbox that can be controlled from outside. */
export interface Controlled {
  readonly clock: SandboxClock;
  readonly payments: SandboxPayments;
  readonly withdrawals: SandboxWithdrawals;
  readonly faults: SandboxFaults;
  readonly webhooks: SandboxWebhooks;
  readonly merchants: readonly SandboxMerchant[];
  fetch(request: Request): Promise<Response>;
  requests(): ReceivedRequest[];
  dropped(): DroppedCounts;
  save(): SavedSandbox;
  load(saved: SavedSandbox): void;
  reset(): void;
}

/**
 * A sandbox as JSON: read with GET, controlled with POST. What a value may be is not checked here but by
 * the sandbox, as it is in process.
 */
export function controlRoutes(sandbox: Controlled, timeline: Timeline): Hono {
  const routes = new Hono();
  routes.use(async ({ req }, next) => {
    checkControlRequest(req.raw);
    await next();
  });

  routes.get("/requests", () =>
    jsonAnswer(200, { data: sandbox.requests(), dropped: sandbox.dropped().requests }),
  );
  routes.get("/merchants", () => listAnswer(sandbox.merchants.map(withoutSecrets)));
  routes.get("/timeline", () =>
    jsonAnswer(200, { data: timeline.entries(), dropped: timeline.dropped() }),
  );
  routes.get("/events", () => eventStream(timeline));
  routes.route("/", shopControls(sandbox));
  routes.route("/", scenarioControls(sandbox));
  routes.route("/", stateControls(sandbox));
  routes.route("/", webhookControls(sandbox));
  routes.route("/", faultControls(sandbox.faults));

  return routes;
}

function withoutSecrets(merchant: SandboxMerchant) {
  const { secretKey: _key, webhookSecret: _webhooks, accessToken: _token, ...rest } = merchant;
  return rest;
}
