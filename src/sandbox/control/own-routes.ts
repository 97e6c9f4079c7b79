import { Hono } from "hono";
import { secureHeaders } from "hono/secure-headers";
import openApi from "../../../api/openapi.json" with { type: "json" };
import { missingPage, type PagesOptions } from "../pages/components.ts";
import { entryPage } from "../pages/entry.ts";
import { inspectorPage } from "../pages/inspector.ts";
import { paymentPage } from "../pages/payment-page.ts";
import {
  answerError,
  type Middleware,
  Refusal,
  refuseOthers,
  type ServiceEnv,
} from "../service/answers.ts";
import { controlRoutes } from "./control-routes.ts";

/** The pages' scripts and style sheets by file name, shared by all sandboxes. */
let assets: Promise<ReadonlyMap<string, string>> | undefined;

/**
 * Serves the sandbox's own routes: its pages, OpenAPI document and control API. Requests to them meet no faults and are
 * not recorded. GET has no side effects.
 */
export function createOwnRoutes(options: PagesOptions): Hono<ServiceEnv> {
  const app = new Hono<ServiceEnv>({ strict: false });
  app.onError(answerError);
  app.use(protection, noStore);

  app.get("/payment/:paymentId", ({ req }) =>
    paymentPage(options, req.param("paymentId"), new URL(req.url).origin),
  );
  app.get("/_sandbox", ({ req }) => inspectorPage(options, new URL(req.url)));
  app.get("/_sandbox/entries/:sequence", (c) => {
    const { origin } = new URL(c.req.url);
    return entryPage(options, c.req.param("sequence"), origin) ?? c.notFound();
  });
  app.get("/openapi.json", (c) => c.json(openApi));
  app.get("/_sandbox/assets/:name", async (c) => {
    // Loaded on first use: most sandboxes never show a page.
    assets ??= import("../pages/browser-assets.ts").then(({ browserAssets }) => browserAssets());
    const name = c.req.param("name");
    const text = (await assets).get(name);
    if (text === undefined) return c.notFound();
    const type = name.endsWith(".css") ? "text/css" : "text/javascript";
    return c.body(text, 200, { "Content-Type": `${type}; charset=utf-8` });
  });
  app.use("/_sandbox/*", checkControlRequest);
  app.route("/_sandbox", controlRoutes(options.sandbox, options.events));
  refuseOthers(app, "see docs/sandbox-reference.md", missingPage);
  return app;
}

/** Pages run only the sandbox's own files, and other sites can neither frame them nor load anything from here. */
const protection = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    connectSrc: ["'self'"],
    imgSrc: ["data:"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
  xFrameOptions: "DENY",
  // A shop may open the payment page in a new window, and must keep its handle to that window.
  crossOriginOpenerPolicy: false,
  // HSTS would apply to every program on localhost, and others may only serve plain HTTP.
  strictTransportSecurity: false,
});

const noStore: Middleware = async (c, next) => {
  await next();
  c.res.headers.set("Cache-Control", "no-store");
};

/** A page of another origin cannot send this header without a preflight, which the sandbox never allows. */
const controlHeader = "X-Sandbox-Control";

/** Allows requests from programs and from the sandbox's own pages, but none that another web page could send. */
const checkControlRequest: Middleware = async ({ req }, next) => {
  const origin = req.header("Origin");
  if (origin !== undefined && URL.parse(origin)?.host !== new URL(req.url).host) {
    throw new Refusal(403, {
      code: "cross_origin",
      message: `Pages from ${origin} cannot control the sandbox. Use its own pages, or a program outside the browser.`,
    });
  }
  if (req.method !== "POST") return next();
  if (req.header(controlHeader) === undefined) {
    throw new Refusal(403, {
      code: "control_header_missing",
      message: `The header ${controlHeader} is missing. Send it with any value: pages of other sites cannot send it.`,
    });
  }
  const type = req.header("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    const message = "The control API takes JSON. Send Content-Type: application/json.";
    throw new Refusal(415, { code: "invalid_content_type", message });
  }
  await next();
};
