import { Hono, type MiddlewareHandler } from "hono";
import type { Events } from "../event-bus.ts";
import { entryPage } from "../pages/entry.ts";
import { inspectorPage } from "../pages/inspector.ts";
import { assetAnswer } from "../pages/page.ts";
import { paymentPage, unknownPaymentPage } from "../pages/payment-page.ts";
import type { Sandbox } from "../sandbox.ts";
import { invalidRequest, type ServiceEnv } from "../service/answers.ts";
import type { Payments } from "../service/payments.ts";
import type { Withdrawals } from "../service/withdrawals.ts";
import { controlRoutes } from "./control-routes.ts";
import { answerControlError } from "./guard.ts";

interface OwnRoutesOptions {
  readonly sandbox: Sandbox;
  readonly payments: Payments;
  readonly withdrawals: Withdrawals;
  readonly events: Events;
  /** Whether the sandbox's clock is frozen, which loading another state can change. */
  readonly isFrozen: () => boolean;
}

/** Keeps answers out of caches, browser histories and other sites' pages. */
const protection: MiddlewareHandler<ServiceEnv> = async (c, next) => {
  await next();
  const { headers } = c.res;
  headers.set("Cache-Control", "no-store");
  headers.set("Referrer-Policy", "no-referrer");
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Cross-Origin-Resource-Policy", "same-origin");
};

/**
 * Serves the sandbox's own routes: its pages, its description and its control API. They meet no fault and are not recorded,
 * and GET changes nothing.
 */
export function createOwnRoutes(options: OwnRoutesOptions): Hono<ServiceEnv> {
  const { sandbox, payments, withdrawals, events, isFrozen } = options;
  const app = new Hono<ServiceEnv>();
  app.onError(answerControlError);
  app.use(protection);

  app.get("/", (c) => c.redirect("/_sandbox"));
  app.get("/payment/:paymentId", ({ req }) => {
    const paymentId = req.param("paymentId");
    const payment = payments.find(paymentId);
    const secret = payments.secretOf(paymentId);
    if (payment === undefined || secret === undefined) return unknownPaymentPage();
    const upcoming = sandbox.payments.upcoming(paymentId);
    const returnUrl = payments.returnUrlOf(paymentId);
    const { headerPrefix } = sandbox;
    const { origin } = new URL(req.url);
    return paymentPage({ payment, secret, upcoming, returnUrl, headerPrefix, origin });
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
  app.get("/openapi.json", async (c) => c.body(await openApi(), 200, json));
  app.get("/_sandbox/assets/:name", ({ req }) => assetAnswer(req.param("name")));
  app.route("/_sandbox", controlRoutes(sandbox, events));
  app.all("*", ({ req }) => {
    throw invalidRequest(404, {
      code: "unknown_route",
      message: `This is the settlekit sandbox. It has no route ${req.method} ${req.path}; docs/sandbox.md lists them.`,
    });
  });
  return app;
}

const json = { "Content-Type": "application/json" };
let openApiText: Promise<string> | undefined;

/** The OpenAPI document of the service that is served, made when it is first asked for. */
function openApi(): Promise<string> {
  openApiText ??= import("../../../api/openapi.json", { with: { type: "json" } }).then((module) =>
    JSON.stringify(module.default),
  );
  return openApiText;
}
