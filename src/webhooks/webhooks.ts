import { type WebhookFailureReason, WebhookVerificationError } from "../errors.ts";
import { environmentVariable, invalidOption } from "../values.ts";
import { openDelivery, readDelivery, type WebhookInput } from "./delivery.ts";
import { isKnownEvent, type Webhook, type WebhookEventName, type WebhookOf } from "./event.ts";
import { bodyReader, type FetchHandler } from "./handlers/fetch.ts";
import type { LambdaHandler } from "./handlers/lambda.ts";
import type { NodeHandler } from "./handlers/node.ts";
import type { Delivery } from "./headers.ts";
import type { PaymentResults, WebhookBranches, WithdrawalResults } from "./match.ts";
import {
  checkOption,
  readSettings,
  type Settings,
  secretVariable,
  type WebhooksOptions,
} from "./options.ts";
import { createReceiver, type Receiver } from "./receiver.ts";
import { Receptions, type WebhooksObserver } from "./reception.ts";
import { createVerifier, mismatch, type Verifier } from "./verify.ts";

/**
 * Called with each verified delivery of an event, and awaited. If it throws, the response is 500, so that the service
 * can send the delivery again.
 */
export type WebhookHandler<Name extends string = "*"> = (
  webhook: Name extends "*" ? Webhook : WebhookOf<Name>,
) => unknown;

/** The result of `safeVerify`: the webhook, or the reason why it was refused. */
export type SafeVerifyResult =
  | { readonly ok: true; readonly webhook: Webhook }
  | { readonly ok: false; readonly reason: WebhookFailureReason; readonly message: string };

/**
 * Verifies the service's webhooks (interface section 6), and responds to them.
 *
 * @throws {ConfigurationError} when an option is invalid or there is no secret.
 * @example
 * ```ts
 * const webhooks = new Webhooks({ secret: process.env.SETTLEKIT_WEBHOOK_SECRET });
 * webhooks.on("payment.updated", ({ data }) => {
 *   console.log(data.orderId, data.status);
 * });
 * createServer(webhooks.nodeHandler()).listen(3000);
 * ```
 */
export class Webhooks {
  readonly #settings: Settings;
  readonly #verifier: Verifier;
  readonly #receptions = new Receptions();
  readonly #receiver: Receiver;

  /**
   * Calls the branch for the webhook's object and status, and returns its result: await it if a branch is async. A
   * missing branch does not compile, so no status is forgotten, even when a new version of settlekit adds some.
   *
   * @example
   * ```ts
   * const orderStatus = Webhooks.match(webhook, {
   *   payment: {
   *     pending: () => "open", processing: () => "open",
   *     completed: () => "paid", confirmed: () => "paid",
   *     failed: () => "unpaid", expired: () => "unpaid", cancelled: () => "unpaid",
   *     refunded: () => "refunded", partially_refunded: () => "refunded",
   *     unknown: ({ data }) => `unknown payment status ${data.status}`,
   *   },
   *   withdrawal: {
   *     pending: () => "sending", processing: () => "sending", completed: () => "sent",
   *     failed: () => "not sent", cancelled: () => "not sent",
   *     unknown: ({ data }) => `unknown withdrawal status ${data.status}`,
   *   },
   *   unknown: ({ event }) => `unknown event ${event}`,
   * });
   * ```
   */
  static match<Result, Payment extends PaymentResults, Withdrawal extends WithdrawalResults>(
    webhook: Webhook,
    branches: WebhookBranches<Result, Payment, Withdrawal>,
  ): Result | Payment[keyof Payment] | Withdrawal[keyof Withdrawal] {
    if (!isKnownEvent(webhook.event)) return branches.unknown(webhook);
    const kind = webhook.event.startsWith("payment.") ? "payment" : "withdrawal";
    // The branch's name narrows the webhook.
    const ofKind = branches[kind] as { readonly unknown: (webhook: Webhook) => Result };
    const { status } = webhook.data;
    // An inherited name, such as "constructor", is not a branch.
    const isBranch = typeof status === "string" && Object.hasOwn(ofKind, status);
    return ofKind[isBranch ? (status as "unknown") : "unknown"](webhook);
  }

  constructor(options: WebhooksOptions = {}) {
    this.#settings = readSettings(options);
    const { secret = environmentVariable(secretVariable) || undefined } = options;
    const noSecret = `There is no webhook secret. Pass secret, or set ${secretVariable}.`;
    if (secret === undefined) throw invalidOption("secret", noSecret);
    this.#verifier = createVerifier(secret);
    this.#receiver = createReceiver(this.#settings, this.#verifier.verify, this.#receptions);
  }

  /** @internal For `settlekit/opentelemetry`. The returned function removes the observer. */
  observe(observer: WebhooksObserver): () => void {
    const { observers } = this.#receptions;
    observers.add(observer);
    return () => void observers.delete(observer);
  }

  /**
   * Verifies a delivery: a Web Request, whose body it reads, or its raw body and headers.
   *
   * @throws {WebhookVerificationError} when it is refused; a sender can cause no other error. Respond with 401.
   */
  async verify(input: Request | WebhookInput): Promise<Webhook> {
    const reception = this.#receptions.begin();
    try {
      const delivery = isRequest(input)
        ? await readDelivery(input, bodyReader(input), this.#settings)
        : openDelivery(input, this.#settings);
      if (delivery === undefined) throw mismatch("", "The body ended before it was complete.");
      const webhook = await this.#verifier.verify(delivery);
      reception.end({ webhook });
      return webhook;
    } catch (error) {
      reception.end({ error });
      throw error;
    }
  }

  /** Like `verify`, but synchronous. @throws {ConfigurationError} without node:crypto, and when `secret` is a function. */
  verifySync(input: WebhookInput): Webhook {
    const verifier = this.#verifier;
    const rule = "a string or bytes for verifySync, which also needs node:crypto. Or use verify";
    checkOption("secret", verifier.isSync, rule);
    const reception = this.#receptions.begin();
    try {
      const webhook = verifier.verify(openDelivery(input, this.#settings));
      reception.end({ webhook });
      return webhook;
    } catch (error) {
      reception.end({ error });
      throw error;
    }
  }

  /** Like `verify`, but returns a refusal instead of throwing it. Failures on your side are still thrown. */
  async safeVerify(input: Request | WebhookInput): Promise<SafeVerifyResult> {
    try {
      return { ok: true, webhook: await this.verify(input) };
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      return { ok: false, reason: error.reason, message: error.message };
    }
  }

  /**
   * Registers a handler for `fetchHandler`, `nodeHandler` and `lambdaHandler`. A handler for `*` is a fallback for
   * events without a handler of their own. Several handlers of one event run one after another, in order of
   * registration; if one throws, the rest do not run.
   */
  on<Name extends WebhookEventName | "*" | (string & {})>(
    event: Name,
    handler: WebhookHandler<Name>,
  ): this {
    // The receiver calls a handler only with the event it was registered for.
    this.#receiver.on(event, handler as (webhook: Webhook) => unknown);
    return this;
  }

  /**
   * @internal Handlers that pass every verified delivery to `handler`. If no secret matches and `explain` throws, the
   * response is 500 instead of 401.
   */
  forward(
    handler: (webhook: Webhook) => unknown,
    explain: (delivery: Delivery) => unknown,
  ): Receiver {
    const verify = async (delivery: Delivery) => {
      try {
        return await this.#verifier.verify(delivery);
      } catch (error) {
        const isRefused = error instanceof WebhookVerificationError;
        if (isRefused && error.reason === "signature_mismatch") await explain(delivery);
        throw error;
      }
    };
    const receiver = createReceiver(this.#settings, verify, this.#receptions);
    receiver.on("*", handler);
    return receiver;
  }

  /** @internal Whether one of the secrets made a delivery's signature. A secret function is not called. */
  async matches(delivery: Delivery): Promise<boolean> {
    return (await this.#verifier.matchingSecret(delivery)) !== -1;
  }

  /**
   * A handler for Web servers and workers. It responds without a body: 200 when every handler has finished, 401 when
   * the delivery is not authentic, 413 and 408 for a body that is too large or too slow, 405 for anything but POST, 400
   * for a signed body that is not an event, and 500 when a handler throws.
   */
  fetchHandler(): FetchHandler {
    return this.#receiver.fetchHandler();
  }

  /**
   * A handler for node:http, Express, Connect, Koa (`context.req`, `context.res`), NestJS and API routes of Next.js,
   * responding as `fetchHandler` does. It reads the body itself. If a body parser ran first, it responds with 500 and
   * tells `logger` and `onError` which line to change. For Fastify, use the plugin in `settlekit/webhooks/fastify`.
   */
  nodeHandler(): NodeHandler {
    return this.#receiver.nodeHandler();
  }

  /**
   * A handler for AWS Lambda behind API Gateway, a function URL or a load balancer, responding as `fetchHandler` does.
   * It throws a ConfigurationError for any other event, so that a queue keeps its message.
   *
   * @example
   * ```ts
   * export const handler = webhooks.lambdaHandler();
   * ```
   */
  lambdaHandler(): LambdaHandler {
    return this.#receiver.lambdaHandler();
  }
}

/** Not instanceof: a Request may come from an implementation other than the global one. */
function isRequest(input: Request | WebhookInput): input is Request {
  return typeof (input as Partial<Request> | undefined)?.arrayBuffer === "function";
}
