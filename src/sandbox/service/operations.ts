import type { Context, Hono, HonoRequest } from "hono";
import { isRecord } from "../../values.ts";
import { credentialHeader } from "../../wire/credential.ts";
import type { Credential, Operation } from "../../wire/operation.ts";
import type { Core } from "../core.ts";
import { randomStream } from "../random.ts";
import { answerOperation, found, type Middleware, Refusal, type ServiceEnv } from "./answers.ts";
import type { IdempotencyStore } from "./idempotency.ts";
import type { Merchants, SandboxMerchant } from "./merchants.ts";
import type { Payments } from "./payments.ts";
import { checked, parseObject, parseQuery } from "./validation.ts";

/** A JSON replacer for the newest published form: CAIP-2 chain ids, and a deposit address in every quote. */
export function published(payments: Payments) {
  return (name: string, value: unknown): unknown => {
    if (name === "chainId" && typeof value === "number") return `eip155:${value}`;
    if (!isRecord(value) || !("expectedAmountAsset" in value)) return value;
    const id = String(value.id);
    const payment = payments.find(String(value.paymentId));
    // Derived from the quote's id, so that it is the same in every response.
    const address = randomStream(id, "address").address();
    return { ...value, depositAddress: { ...payment?.depositAddress, id, address } };
  };
}

/** The values of a path's placeholders, decoded. */
type PathValues = Readonly<Record<string, string | undefined>>;

/** The error code for a wrong credential, and which one is right. */
const credentials: Readonly<Record<Credential, { code: string; owner: string }>> = {
  secretKey: { code: "invalid_api_key", owner: "the secretKey of a merchant of this sandbox" },
  accessToken: {
    code: "invalid_access_token",
    owner: "Bearer and the accessToken of a merchant of this sandbox",
  },
  paymentSecret: { code: "invalid_payment_secret", owner: "the secret of this payment" },
};

/** Interface section 5: each operation requires one kind of credential. */
export function createAuthentication(
  { headerPrefix }: Core,
  merchants: Merchants,
  payments: Payments,
) {
  function holderOf(credential: Credential, given: string, { paymentId = "" }: PathValues) {
    if (credential !== "paymentSecret")
      return merchants.all().find((it) => it[credential] === given);
    const { merchantId } = found("payment", payments.find(paymentId));
    return payments.detailsOf(paymentId)?.secret === given ? merchants.find(merchantId) : undefined;
  }

  function merchantOf({ credential }: Operation<unknown>, req: HonoRequest): SandboxMerchant {
    // Public operations are the same for every merchant.
    if (credential === "none") return merchants.first();
    const { name, scheme } = credentialHeader(credential, headerPrefix);
    const { code, owner } = credentials[credential];
    const refuse = (message: string) => new Refusal(401, { code, message });
    const given = req.header(name);
    if (given === undefined) throw refuse(`The header ${name} is missing. Send ${owner}.`);
    // A value without its scheme is not a credential.
    const value = given.startsWith(scheme) ? given.slice(scheme.length) : "";
    const path: PathValues = req.param();
    const merchant = holderOf(credential, value, path);
    if (merchant === undefined) throw refuse(`The value of ${name} is not ${owner}.`);
    const { merchantId = merchant.merchantId } = path;
    if (merchantId === merchant.merchantId) return merchant;
    throw new Refusal(403, {
      code: "forbidden",
      message:
        "The path names a different merchant from the access token's. Use the token's merchantId.",
    });
  }

  /** @throws {Refusal} 401, 403 or 404. */
  return (operation: Operation<unknown>): Middleware =>
    (c, next) => {
      c.set("merchant", merchantOf(operation, c.req));
      return next();
    };
}

/** A request that has passed its operation's checks. */
export interface Call<Body = unknown, Query = unknown> {
  /** The URL at which the sandbox was reached, such as `http://127.0.0.1:4010`. */
  readonly origin: string;
  readonly merchant: SandboxMerchant;
  readonly path: PathValues;
  readonly query: Query;
  readonly body: Body;
}

/** An operation, and how the sandbox performs it. */
export interface Route {
  readonly operation: Operation<unknown>;
  /** Returns the response body, or throws a `Refusal`. Synchronous, so that every request is atomic. */
  readonly handle: (call: Call) => unknown;
}

/**
 * Serves an operation. `Body` and `Query` are the outputs of its schemas. The operation's type does not have them, so
 * they are named here, next to the operation.
 */
export function route<Response, Body = unknown, Query = unknown>(
  operation: Operation<Response>,
  handle: (call: Call<Body, Query>) => Response,
): Route {
  return { operation, handle: (call) => handle(call as Call<Body, Query>) };
}

export interface ServiceOptions extends Pick<Core, "events"> {
  readonly routes: readonly Route[];
  readonly authenticate: ReturnType<typeof createAuthentication>;
  readonly idempotency: IdempotencyStore;
  /** Replaces values while a response is serialised. */
  readonly form?: ReturnType<typeof published> | undefined;
}

/** Adds every operation to the app, and rejects other routes and methods. */
export function serveOperations(app: Hono<ServiceEnv>, options: ServiceOptions): void {
  const { routes, authenticate, idempotency } = options;
  for (const served of routes) {
    const { operation } = served;
    const { method, path, body, replay } = operation;
    const middleware = [authenticate(operation), readInput(operation)];
    if (body && replay !== "safe") middleware.push(idempotency.once(operation));
    app.on(method, [honoPath(path)], ...middleware, perform(served, options));
  }
  const methods = Map.groupBy(routes, ({ operation }) => operation.path);
  for (const [path, same] of methods) {
    const allowed = same.map(({ operation }) => operation.method).join(", ");
    app.all(honoPath(path), ({ req }) => {
      throw new Refusal(405, {
        code: "method_not_allowed",
        message: `This is the settlekit sandbox. It serves ${path} with ${allowed}, not with ${req.method}.`,
        headers: { Allow: allowed },
      });
    });
  }
  app.all("*", ({ req }) => {
    const served = routes.map(({ operation: { method, path } }) => `${method} ${path}`).join(", ");
    throw new Refusal(404, {
      code: "unknown_route",
      message: `This is the settlekit sandbox. It has no route ${req.method} ${req.path}; it serves ${served}.`,
    });
  });
}

export function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

/** @throws {Refusal} 400, 413 or 422. */
function readInput(operation: Operation<unknown>): Middleware {
  const { body } = operation;
  const isOptional = body?.safeParse({}).success === true;
  return (c, next) => {
    c.set("query", parseQuery(operation, new URL(c.req.url)));
    if (body) c.set("json", parseObject(c.var.body, { isOptional }));
    return next();
  };
}

function perform({ operation, handle }: Route, { events, form }: ServiceOptions) {
  return (c: Context<ServiceEnv>): Response => {
    const { requestId, merchant, query, json } = c.var;
    const { origin } = new URL(c.req.url);
    const body = operation.body && checked(operation.body, json);
    // Operations are synchronous, so every event emitted here is caused by this request.
    const value = events.during({ requestId }, () =>
      handle({ origin, merchant, path: c.req.param(), query, body }),
    );
    return answerOperation(c, operation, JSON.stringify(value, form));
  };
}
