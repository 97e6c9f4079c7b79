import { Hono } from "hono";
import type { Events } from "../events.ts";
import type { Sandbox } from "../sandbox.ts";
import type { SandboxMerchant } from "../service/merchants.ts";
import { jsonAnswer } from "../serving/web-response.ts";
import { listAnswer } from "./control-answers.ts";
import { eventStream } from "./event-stream.ts";
import { faultControls } from "./fault-controls.ts";
import { checkControlRequest } from "./guard.ts";
import { scenarioControls } from "./scenario-controls.ts";
import { shopControls } from "./shop-controls.ts";
import { stateControls } from "./state-controls.ts";
import { webhookControls } from "./webhook-controls.ts";

/**
 * A sandbox as JSON: read with GET, controlled with POST. What a value may be is not checked here but by
 * the sandbox, as it is in process.
 */
export function controlRoutes(sandbox: Sandbox, events: Events): Hono {
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
    jsonAnswer(200, { data: events.entries(), dropped: events.dropped() }),
  );
  routes.get("/events", () => eventStream(events));
  routes.route("/", shopControls(sandbox));
  routes.route("/", scenarioControls(sandbox));
  routes.route("/", stateControls(sandbox));
  routes.route("/", webhookControls(sandbox));
  routes.route("/", faultControls(sandbox));

  return routes;
}

function withoutSecrets(merchant: SandboxMerchant) {
  const { secretKey: _key, webhookSecret: _webhooks, accessToken: _token, ...rest } = merchant;
  return rest;
}
