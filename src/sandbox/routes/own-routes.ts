import { Hono } from "hono";
import { controlFailure, unknownControlRoute } from "../control/control-failure.ts";
import { controlRoutes } from "../control/control-routes.ts";
import type { Events } from "../events.ts";
import { entryPage } from "../pages/entry.ts";
import { inspectorPage } from "../pages/inspector.ts";
import { assetAnswer } from "../pages/page.ts";
import { paymentPage, unknownPaymentPage } from "../pages/payment-page.ts";
import type { Sandbox } from "../sandbox.ts";
import type { Payments } from "../service/payments.ts";
import type { Withdrawals } from "../service/withdrawals.ts";
import { openApiAnswer } from "./openapi-answer.ts";

interface OwnRoutesOptions {
  readonly sandbox: Sandbox;
  readonly payments: Payments;
  readonly withdrawals: Withdrawals;
  readonly events: Events;
  /** Whether the sandbox's clock stands still: a sandbox that is loaded may say so for another one. */
  readonly isFrozen: () => boolean;
}

/** Answers requests to the sandbox's own routes. */
export type OwnRoutes = (request: Request) => Promise<Response>;

/** Nothing of it is kept anywhere, told to other sites, or loaded by their pages. */
const protection = {
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/**
 * Serves what the service's API does not have: the sandbox's pages, its description, and the means to
 * control it. These routes meet no fault and are not recorded, and GET changes nothing.
 */
export function createOwnRoutes(options: OwnRoutesOptions): OwnRoutes {
  const { sandbox, payments, withdrawals, events, isFrozen } = options;
  const app = new Hono();

  app.get("/", () => new Response(null, { status: 302, headers: { Location: "/_sandbox" } }));
  app.get("/payment/:paymentId", ({ req }) => {
    const paymentId = req.param("paymentId");
    const payment = payments.find(paymentId);
    const secret = payments.secretOf(paymentId);
    if (payment === undefined || secret === undefined) return unknownPaymentPage();
    const upcoming = sandbox.payments.upcoming(paymentId);
    return paymentPage({ payment, secret, upcoming, returnUrl: payments.returnUrlOf(paymentId) });
  });
  app.get("/_sandbox", ({ req }) =>
    inspectorPage({
      sandbox,
      payments: payments.all(),
      withdrawals: withdrawals.all(),
      events,
      isFrozen: isFrozen(),
      url: new URL(req.url),
    }),
  );
  app.get("/_sandbox/entries/:sequence", ({ req }) => {
    const { origin } = new URL(req.url);
    return entryPage({ sandbox, events, sequence: req.param("sequence"), origin });
  });
  app.get("/openapi.json", openApiAnswer);
  app.get("/_sandbox/assets/:name", ({ req }) => assetAnswer(req.param("name")));
  app.route("/_sandbox", controlRoutes(sandbox, events));
  app.notFound(({ req }) => unknownControlRoute(req.method, req.path));
  app.onError(controlFailure);

  return async (request) => {
    const response = await app.fetch(request);
    for (const [name, value] of Object.entries(protection)) response.headers.set(name, value);
    return response;
  };
}
