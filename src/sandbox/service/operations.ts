import type { Hono, HonoRequest } from "hono";
import * as z from "zod/mini";
import { credentialHeader } from "../../wire/credential.ts";
import type { Credential, Operation } from "../../wire/operation.ts";
import { operationTable } from "../../wire/operations.ts";
import { createPaymentBodySchema } from "../../wire/payment.ts";
import type { Core } from "../core.ts";
import {
  answerOperation,
  found,
  type Middleware,
  Refusal,
  refuseOthers,
  type ServiceEnv,
} from "./answers.ts";
import { publishedForm } from "./dialect.ts";
import type { IdempotencyStore } from "./idempotency.ts";
import type { Merchants, SandboxMerchant } from "./merchants.ts";
import type { Payments } from "./payments.ts";
import { checked, parseObject, parseQuery } from "./validation.ts";

/** A request that has passed its operation's checks. */
export interface Call<Body = unknown, Query = unknown> {
  /** The URL at which the sandbox was reached, such as `http://127.0.0.1:4010`. */
  readonly origin: string;
  readonly merchant: SandboxMerchant;
  /** The values of the path's placeholders, decoded. */
  readonly path: Readonly<Record<string, string | undefined>>;
  readonly query: Query;
  readonly body: Body;
}

/**
 * How the sandbox performs each operation. A handler returns the response body, or throws a `Refusal`. It is synchronous,
 * so that every request is atomic. It declares the outputs of the operation's schemas, which the operation's type lacks.
 */
type Handlers = {
  readonly [Name in keyof typeof operationTable]: (
    call: Call<never, never>,
  ) => (typeof operationTable)[Name] extends Operation<infer Response> ? Response : never;
};

export interface ServiceOptions extends Core {
  readonly merchants: Merchants;
  readonly payments: Payments;
  readonly handlers: Handlers;
  readonly idempotency: IdempotencyStore;
}

/** In the table's order: "config" is a route before it could be the id of a withdrawal. */
const operations = Object.entries<Operation<unknown>>({
  ...operationTable,
  createPayment: {
    ...operationTable.createPayment,
    // A deposit's amount is ignored, so an invalid one must not be rejected.
    body: z.pipe(
      z.transform((body: Record<string, unknown>) =>
        body.type === "deposit" ? { ...body, amount: undefined } : body,
      ),
      createPaymentBodySchema,
    ),
  },
});

/** Adds every operation to the app, and rejects other routes and methods. */
export function serveOperations(app: Hono<ServiceEnv>, options: ServiceOptions): void {
  const { dialect, events, handlers, idempotency, payments } = options;
  const form = dialect === "published" ? publishedForm(payments) : undefined;
  for (const [name, operation] of operations) {
    const { method, path, body, replay } = operation;
    const handle = handlers[name as keyof Handlers] as (call: Call) => unknown;
    const middleware = [readRequest(operation, options)];
    if (body && replay !== "safe") middleware.push(idempotency.once(operation));
    app.on(method, [honoPath(path)], ...middleware, (c) => {
      const { requestId, merchant, query, json } = c.var;
      const { origin } = new URL(c.req.url);
      const input = { path: c.req.param(), query, body: body && checked(body, json) };
      // Handlers are synchronous, so this request causes every event that is emitted here.
      const value = events.during({ requestId }, () => handle({ origin, merchant, ...input }));
      return answerOperation(c, operation, JSON.stringify(value, form));
    });
  }
  const served = operations.map(([, { method, path }]) => `${method} ${path}`).join(", ");
  refuseOthers(app, `it serves ${served}`);
}

export function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

/** The error code for a wrong credential, and which one is right. */
const credentials: Readonly<Record<Credential, { code: string; owner: string }>> = {
  secretKey: { code: "invalid_api_key", owner: "the secretKey of a merchant of this sandbox" },
  accessToken: {
    code: "invalid_access_token",
    owner: "Bearer and the accessToken of a merchant of this sandbox",
  },
  paymentSecret: { code: "invalid_payment_secret", owner: "the secret of this payment" },
};

/** @throws {Refusal} 400, 401, 403, 404, 413 or 422. */
function readRequest(operation: Operation<unknown>, options: ServiceOptions): Middleware {
  const { body } = operation;
  const isOptional = body?.safeParse({}).success === true;
  return (c, next) => {
    c.set("merchant", merchantOf(operation, c.req, options));
    const text = c.var.body;
    c.set("query", parseQuery(operation, new URL(c.req.url)));
    c.set("json", body ? parseObject(text === "" && isOptional ? "{}" : text) : {});
    return next();
  };
}

/**
 * The merchant that the credential belongs to. Each operation requires one kind (interface section 5).
 *
 * @throws {Refusal} 401, 403 or 404.
 */
function merchantOf(
  { credential }: Operation<unknown>,
  req: HonoRequest,
  { headerPrefix, merchants, payments }: ServiceOptions,
): SandboxMerchant {
  // Public operations are the same for every merchant.
  if (credential === "none") return merchants.first();
  const { name, scheme } = credentialHeader(credential, headerPrefix);
  const { code, owner } = credentials[credential];
  const refuse = (message: string) => new Refusal(401, { code, message });
  const given = req.header(name);
  if (given === undefined) throw refuse(`The header ${name} is missing. Send ${owner}.`);
  // A value without its scheme, in any case, is not a credential.
  const [, value = ""] = new RegExp(`^${scheme}(.*)`, "i").exec(given) ?? [];
  const { paymentId = "", merchantId }: Call["path"] = req.param();
  const holder = () => {
    if (credential !== "paymentSecret")
      return merchants.all().find((it) => it[credential] === value);
    const payment = found("payment", payments.find(paymentId));
    const isRight = payments.detailsOf(paymentId)?.secret === value;
    return isRight ? merchants.find(payment.merchantId) : undefined;
  };
  const merchant = holder();
  if (merchant === undefined) throw refuse(`The value of ${name} is not ${owner}.`);
  if ((merchantId ?? merchant.merchantId) === merchant.merchantId) return merchant;
  const message =
    "The path names a different merchant from the access token's. Use the token's merchantId.";
  throw new Refusal(403, { code: "forbidden", message });
}
