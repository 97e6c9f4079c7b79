import { Hono } from "hono";
import { jsonAnswer } from "../answer.ts";
import type { SandboxWebhooks } from "../webhook-deliveries.ts";
import { listAnswer } from "./control-answers.ts";
import { controlBody } from "./control-body.ts";

/** The webhooks that were sent, and what goes wrong with the next ones. */
export function webhookControls(webhooks: SandboxWebhooks): Hono {
  const routes = new Hono();

  routes.get("/deliveries", () => listAnswer(webhooks.deliveries()));
  routes.post("/deliveries/:id/replay", async ({ req }) => {
    await controlBody(req.raw);
    return jsonAnswer(200, await webhooks.replay(req.param("id")));
  });

  return routes;
}
