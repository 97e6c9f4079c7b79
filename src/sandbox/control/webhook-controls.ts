import { Hono } from "hono";
import type { WebhookEvents } from "../../wire/webhook-event.ts";
import type { Sandbox } from "../sandbox.ts";
import { jsonAnswer } from "../serving/web-response.ts";
import type { Duration } from "../time/duration.ts";
import type { DisorderKind } from "../webhooks/disorder.ts";
import { doneAnswer, listAnswer } from "./control-answers.ts";
import { controlBody } from "./control-body.ts";
import { occasionsInJson, occasionsOf } from "./occasions.ts";

/** The webhooks that were sent, and what goes wrong with the next ones. */
export function webhookControls({ webhooks, dropped }: Sandbox): Hono {
  const routes = new Hono();

  routes.get("/deliveries", () =>
    jsonAnswer(200, { data: webhooks.deliveries(), dropped: dropped().deliveries }),
  );
  routes.post("/deliveries/:id/replay", async ({ req }) => {
    const { disorder, by } = await controlBody(req.raw);
    const options = {
      disorder: disorder as DisorderKind | undefined,
      by: by as Duration | undefined,
    };
    return jsonAnswer(200, await webhooks.replay(req.param("id"), options));
  });

  routes.get("/disorders", () => listAnswer(webhooks.disorders().map(occasionsInJson)));
  routes.post("/disorders", async ({ req }) => {
    const { kind, event, by, ...occasions } = await controlBody(req.raw);
    webhooks.disorder(kind as DisorderKind, {
      event: event as keyof WebhookEvents | undefined,
      by: by as Duration | undefined,
      ...occasionsOf(occasions),
    });
    return doneAnswer();
  });
  routes.post("/disorders/clear", async ({ req }) => {
    await controlBody(req.raw);
    webhooks.clearDisorders();
    return doneAnswer();
  });

  return routes;
}
