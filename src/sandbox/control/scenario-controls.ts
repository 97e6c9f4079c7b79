import { Hono } from "hono";
import type { Sandbox } from "../sandbox.ts";
import type { PaymentScenario } from "../service/payment-scenarios.ts";
import type { ScenarioSteps } from "../service/scenarios.ts";
import type { WithdrawalScenario } from "../service/withdrawal-scenarios.ts";
import { jsonAnswer } from "../serving/web-response.ts";
import { listAnswer } from "./control-answers.ts";
import { controlBody } from "./control-body.ts";

/** Plays customers, and what the service does about withdrawals. */
export function scenarioControls({ payments, withdrawals }: Sandbox): Hono {
  const routes = new Hono();

  routes.get("/payments", () => listAnswer(payments.all()));
  routes.get("/payments/:id/upcoming", ({ req }) => listAnswer(payments.upcoming(req.param("id"))));
  routes.post("/payments/:id/simulate", async ({ req }) => {
    const { scenario, amountInCents, steps } = await controlBody(req.raw);
    const options = {
      amountInCents: amountInCents as number | undefined,
      steps: steps as ScenarioSteps | undefined,
    };
    const id = req.param("id");
    return jsonAnswer(200, await payments.simulate(id, scenario as PaymentScenario, options));
  });
  routes.post("/payments/:id/step", async ({ req }) => {
    await controlBody(req.raw);
    return jsonAnswer(200, await payments.step(req.param("id")));
  });

  routes.get("/withdrawals", () => listAnswer(withdrawals.all()));
  routes.get("/withdrawals/:id/upcoming", ({ req }) =>
    listAnswer(withdrawals.upcoming(req.param("id"))),
  );
  routes.post("/withdrawals/:id/simulate", async ({ req }) => {
    const { scenario, steps } = await controlBody(req.raw);
    const options = { steps: steps as ScenarioSteps | undefined };
    const id = req.param("id");
    return jsonAnswer(200, await withdrawals.simulate(id, scenario as WithdrawalScenario, options));
  });
  routes.post("/withdrawals/:id/step", async ({ req }) => {
    await controlBody(req.raw);
    return jsonAnswer(200, await withdrawals.step(req.param("id")));
  });

  return routes;
}
