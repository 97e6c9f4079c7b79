import { Hono, type MiddlewareHandler } from "hono";
import { entryPage } from "../pages/entry.ts";
import { inspectorPage } from "../pages/inspector.ts";
import { assetAnswer, type PagesOptions } from "../pages/page.ts";
import { paymentPage } from "../pages/payment-page.ts";
import { Refusal, type ServiceEnv } from "../service/answers.ts";
import { controlRoutes } from "./control-routes.ts";
import { answerControlError } from "./guard.ts";

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
export function createOwnRoutes(options: PagesOptions): Hono<ServiceEnv> {
  const app = new Hono<ServiceEnv>();
  app.onError(answerControlError);
  app.use(protection);

  app.get("/", (c) => c.redirect("/_sandbox"));
  app.get("/payment/:paymentId", ({ req }) =>
    paymentPage(options, req.param("paymentId"), new URL(req.url).origin),
  );
  app.get("/_sandbox", ({ req }) => inspectorPage(options, new URL(req.url)));
  app.get("/_sandbox/entries/:sequence", ({ req }) =>
    entryPage(options, req.param("sequence"), new URL(req.url).origin),
  );
  app.get("/openapi.json", async (c) => {
    const module = await import("../../../api/openapi.json", { with: { type: "json" } });
    return c.json(module.default);
  });
  app.get("/_sandbox/assets/:name", ({ req }) => assetAnswer(req.param("name")));
  app.route("/_sandbox", controlRoutes(options.sandbox, options.events));
  app.all("*", ({ req }) => {
    throw new Refusal(404, {
      code: "unknown_route",
      message: `This is the settlekit sandbox. It has no route ${req.method} ${req.path}; docs/sandbox.md lists them.`,
    });
  });
  return app;
}
