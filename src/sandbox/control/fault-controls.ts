import { Hono } from "hono";
import type { Fault } from "../faults/fault.ts";
import type { FaultRoute } from "../faults/fault-route.ts";
import type { RateLimit } from "../faults/rate-limit.ts";
import type { Sandbox } from "../sandbox.ts";
import { refuseField } from "../serving/validation.ts";
import { jsonAnswer } from "../serving/web-response.ts";
import { doneAnswer } from "./control-answers.ts";
import { controlBody } from "./control-body.ts";
import { occasionsInJson, occasionsOf } from "./occasions.ts";

/** What goes wrong with requests. */
export function faultControls({ faults }: Sandbox): Hono {
  const routes = new Hono();

  routes.get("/faults", () =>
    jsonAnswer(200, { data: faults.waiting().map(occasionsInJson), limit: faults.limit() }),
  );
  routes.post("/faults", async ({ req }) => {
    const body = await controlBody(req.raw);
    faults.next(body.route as FaultRoute, body.fault as Fault, occasionsOf(body));
    return doneAnswer();
  });
  routes.post("/faults/rate-limit", async ({ req }) => {
    const { limit } = await controlBody(req.raw);
    if (typeof limit !== "object") throw refuseField(400, "limit", "must be an object, or null.");
    faults.rateLimit(limit as RateLimit | null);
    return doneAnswer();
  });
  routes.post("/faults/clear", async ({ req }) => {
    await controlBody(req.raw);
    faults.clear();
    return doneAnswer();
  });

  return routes;
}
