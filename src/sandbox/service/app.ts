import { type Context, Hono, type HonoRequest, type Next } from "hono";
import { bodyLimit } from "hono/body-limit";
import { cors } from "hono/cors";
import { credentialHeader, defaultRequestIdHeader } from "../../wire/credential.ts";
import { codeForStatus } from "../../wire/envelope.ts";
import { getCheckoutPayment, listChains, listTokens } from "../../wire/operations.ts";
import type { Connection } from "../connection.ts";
import type { AnswerFault, Fault } from "../faults/fault.ts";
import { callerOf, type Faults } from "../faults/faults.ts";
import {
  answerError,
  answerRefusal,
  evidenceHeader,
  type Middleware,
  Refusal,
  respond,
  type ServiceEnv,
  wantsPage,
} from "./answers.ts";
import { type ServiceOptions, serveOperations } from "./operations.ts";
import { maxBodyBytes } from "./validation.ts";

interface AppOptions extends ServiceOptions {
  readonly takeFault: Faults["take"];
  readonly record: Middleware;
  /** The sandbox's own routes: pages, description and control. Loaded on first use, because few tests need them. */
  readonly loadOwnRoutes: () => Promise<Hono<ServiceEnv>>;
}

export function createApp(options: AppOptions): Hono<ServiceEnv> {
  const { clock, record, store } = options;
  const app = new Hono<ServiceEnv>();
  app.onError(answerError);
  app.use(checkHost);
  // No response leaves before the changes that it reports are durable.
  const commit: Middleware = async (_, next) => {
    await next();
    store.commit();
  };
  app.use(commit);
  serveOwnRoutes(app, options.loadOwnRoutes);
  // The changes before the outcome, which would otherwise hide that they could not be written.
  app.use(readBody, record, commit);
  for (const routes of browserRoutes) app.use(routes, allowAnyOrigin(options));
  app.use(withFaults(options));
  app.use(async (_, next) => {
    clock.catchUp();
    await next();
  });
  serveOperations(app, options);
  return app;
}

const checkHost: Middleware = ({ req, env }, next) => {
  const { hostname } = new URL(req.url);
  if (env.isAllowedHost?.(hostname) !== false) return next();
  throw new Refusal(403, {
    code: "host_not_allowed",
    message:
      `The settlekit sandbox does not accept the host name ${hostname}. Use 127.0.0.1 or localhost, or allow ` +
      "the name with the allowedHosts option of listen, or with --allow-host on the command line.",
  });
};

function serveOwnRoutes(app: Hono<ServiceEnv>, load: AppOptions["loadOwnRoutes"]): void {
  let loaded: ReturnType<typeof load> | undefined;
  const serve: Middleware = async ({ req, env }) => {
    loaded ??= load();
    return (await loaded).fetch(req.raw, env);
  };
  for (const path of ["/_sandbox/*", "/payment/*", "/openapi.json"]) app.all(path, serve);
  // Browsers get the inspector at the root; clients get the service's 404.
  app.all("/", async (c, next) => (wantsPage(c.req) ? c.redirect("/_sandbox") : next()));
}

const limitBody = bodyLimit({
  maxSize: maxBodyBytes,
  // The operation rejects the body later, because authentication comes first.
  onError: (c) => c.body(null),
});

const readBody: Middleware = async (c, next) => {
  await limitBody(c, async () => {
    const text = await c.req.text();
    // In process, a request may declare a shorter body than it has.
    if (Buffer.byteLength(text) <= maxBodyBytes) c.set("body", text);
  });
  await next();
};

/** The only routes that browsers call: with a customer's credential (interface section 5), or with none. */
const [customerRoutes = ""] = getCheckoutPayment.path.split("{");
const publicRoutes = [listChains.path, listTokens.path];
const browserRoutes = [`${customerRoutes}*`, ...publicRoutes.map((path) => `${path}/*`)];

/** Lets any page read the response and the headers that it needs (assumed). */
function allowAnyOrigin({ headerPrefix }: AppOptions): Middleware {
  const { name } = credentialHeader("paymentSecret", headerPrefix);
  const allow = cors({
    origin: "*",
    allowMethods: ["GET", "POST"],
    allowHeaders: [name, "Content-Type"],
    exposeHeaders: ["Date", "Retry-After", defaultRequestIdHeader, evidenceHeader],
  });
  return (c, next) => {
    // hono/cors answers preflights itself, so that no fault applies to them.
    if (c.req.method === "OPTIONS") c.header(evidenceHeader, "assumed");
    return allow(c, next);
  };
}

/**
 * An unrelated open page may send requests without a key, which must not use up a fault that a test queued. A shop's
 * own page sends them to the public routes.
 */
function isFromWebPage({ path, raw: { headers } }: HonoRequest): boolean {
  if (publicRoutes.some((route) => path.startsWith(route))) return false;
  const site = headers.get("Sec-Fetch-Site") ?? "none";
  return headers.has("Origin") || !["none", "same-origin"].includes(site);
}

function withFaults({ takeFault, events, headerPrefix }: AppOptions): Middleware {
  return async (c, next) => {
    const isStray = isFromWebPage(c.req) && callerOf(c.req.raw.headers, headerPrefix) === "";
    const met = isStray ? undefined : takeFault(c.req);
    if (met === undefined) return next();
    events.emit({ type: "fault.met", requestId: c.var.requestId, ...met });
    return playFault(met.fault, c, next);
  };
}

/** Serves a request with a fault. Calling `next` makes the request take effect. */
async function playFault(fault: Fault, c: Context<ServiceEnv>, next: Next): Promise<void> {
  const isBefore = "when" in fault && fault.when === "before";
  if (!isBefore) await next();
  if ("latencyMs" in fault && fault.latencyMs !== undefined) await latency(fault.latencyMs, c.env);
  if ("status" in fault) {
    // hono would merge the previous response's headers.
    for (const name of ["Content-Type", "Allow", evidenceHeader]) c.res.headers.delete(name);
    c.res = answerOf(fault, c);
  } else if (fault.connection !== undefined) {
    c.env.broken = fault;
    if (isBefore) c.res = c.body(null);
  } else if (isBefore) await next();
}

function latency(ms: number, { signal }: Connection): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    // A client that gave up must not keep the process alive. In Workers, timers are numbers.
    signal.addEventListener("abort", () => timer.unref?.());
  });
}

function answerOf({ status, retryAfter, body }: AnswerFault, c: Context<ServiceEnv>): Response {
  const headers = retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) };
  const assumed = { [evidenceHeader]: "assumed", ...headers };
  if (body !== undefined) return respond(c, status, body, assumed);
  // The same as the service's own response.
  const message =
    status === 429
      ? "Too many requests. Wait as long as Retry-After says, or longer after every 429."
      : `This ${status} is a fault that was queued in the settlekit sandbox.`;
  return answerRefusal(c, status, { code: codeForStatus(status), message, headers });
}
