import { ConfigurationError } from "../errors/configuration-error.ts";
import {
  type WebhookFailureReason,
  WebhookVerificationError,
} from "../errors/webhook-verification-error.ts";
import { mismatch } from "./admission.ts";
import { type Delivery, openDelivery, readDelivery, type WebhookInput } from "./delivery.ts";
import { explain, isExplicable } from "./explanation.ts";
import { createFetchHandler, type FetchHandler } from "./fetch-handler.ts";
import { findNodeCrypto } from "./node-crypto.ts";
import { createNodeHandler, type NodeHandler } from "./node-handler.ts";
import { NodeVerifier } from "./node-verifier.ts";
import { toBytes } from "./raw-body.ts";
import { Receiver } from "./receiver.ts";
import { report } from "./report.ts";
import { requestBody } from "./request-body.ts";
import { environmentSecret, secretKeys, type WebhookSecretProvider } from "./secret.ts";
import { readSettings, type Settings, type WebhooksOptions } from "./settings.ts";
import { WebVerifier } from "./web-verifier.ts";
import type { Webhook, WebhookEventName, WebhookOf } from "./webhook.ts";

/**
 * Called with each verified delivery of an event. What it throws, the delivery is answered with 500
 * for, so that the service may send it again.
 */
export type WebhookHandler<Name extends string = "*"> = (
  webhook: Name extends "*" ? Webhook : WebhookOf<Name>,
) => unknown;

/** What `safeVerify` gives: the webhook, or why there is none. */
export type SafeVerifyResult =
  | { readonly ok: true; readonly webhook: Webhook }
  | { readonly ok: false; readonly reason: WebhookFailureReason; readonly message: string };

/**
 * Verifies the service's webhooks (interface section 6), and answers them.
 *
 * @example
 * ```ts
 * const webhooks = new Webhooks({ secret: process.env.SETTLEKIT_WEBHOOK_SECRET });
 * webhooks.on("payment.updated", async ({ data }) => {
 *   if (data.status === "completed") await ship(data.orderId);
 * });
 * createServer(webhooks.nodeHandler()).listen(3000);
 * ```
 */
export class Webhooks {
  readonly #settings: Settings;
  readonly #verifier: NodeVerifier | WebVerifier | undefined;
  readonly #secretProvider: WebhookSecretProvider | undefined;
  readonly #receiver: Receiver;

  /** Throws a ConfigurationError when an option cannot be right or there is no secret. */
  constructor(options: WebhooksOptions = {}) {
    this.#settings = readSettings(options);
    const { secret = environmentSecret() } = options;
    if (typeof secret === "function") this.#secretProvider = secret;
    else this.#verifier = createVerifier(secret);
    this.#receiver = new Receiver(this.#settings, (delivery) => this.#verify(delivery));
  }

  /**
   * Verifies a delivery: a Web Request, whose body it reads, or its raw body and headers.
   *
   * Throws `WebhookVerificationError`, whose `reason` says what is wrong; answer 401 then. Nothing
   * that a sender can send makes it throw anything else.
   */
  async verify(input: Request | WebhookInput): Promise<Webhook> {
    const delivery = isRequest(input)
      ? await readDelivery(input.headers, requestBody(input), this.#settings)
      : openDelivery(input, this.#settings);
    if (delivery === undefined) throw mismatch("The body broke off before it was complete.");
    return this.#verify(delivery);
  }

  /**
   * As `verify`, without a promise. Throws a ConfigurationError on platforms without node:crypto and
   * when `secret` is a function.
   */
  verifySync(input: WebhookInput): Webhook {
    const settings = this.#settings;
    const verifier = this.#verifier;
    if (!(verifier instanceof NodeVerifier)) {
      throw new ConfigurationError(
        "verifySync needs node:crypto and a secret that is no function. Use verify instead.",
        { code: "not_synchronous", param: "secret" },
      );
    }
    const delivery = openDelivery(input, settings);
    try {
      return verifier.verify(delivery, settings);
    } catch (error) {
      if (isExplicable(error, settings)) {
        // The caller cannot wait for the cause, nor keep its buffer until it is found.
        const copy = { ...delivery, body: new Uint8Array(toBytes(delivery.body)) };
        void explain(error, copy, verifier.secrets).then((it) => report(settings, "warn", it));
      }
      throw error;
    }
  }

  /** As `verify`, giving a refusal as a value. Failures of the receiving side are still thrown. */
  async safeVerify(input: Request | WebhookInput): Promise<SafeVerifyResult> {
    try {
      return { ok: true, webhook: await this.verify(input) };
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      return { ok: false, reason: error.reason, message: error.message };
    }
  }

  /**
   * Registers a handler for `fetchHandler` and `nodeHandler`. `*` takes the events that have no
   * handler of their own. Several handlers of one event run one after another, in the order of
   * registration; when one throws, those after it do not run.
   */
  on<Name extends WebhookEventName | "*" | (string & {})>(
    event: Name,
    handler: WebhookHandler<Name>,
  ): this {
    // The receiver calls a handler with nothing but the event it was registered for.
    this.#receiver.on(event, handler as (webhook: Webhook) => unknown);
    return this;
  }

  /**
   * A handler for Web servers and workers. It answers without a body: 200 when every handler is
   * done, 401 when the delivery is not authentic, 413 for too large a body, 405 for anything but
   * POST, 400 for a signed body that is no event, and 500 when a handler throws.
   */
  fetchHandler(): FetchHandler {
    return createFetchHandler(this.#receiver);
  }

  /**
   * A handler for node:http, Express, Connect, Koa (`ctx.req`, `ctx.res`) and API routes of Next.js,
   * answering as `fetchHandler` does. It reads the body itself. Where a body parser was there before,
   * it answers 500 and tells `logger` and `onError` which line to change.
   */
  nodeHandler(): NodeHandler {
    return createNodeHandler(this.#receiver);
  }

  async #verify(delivery: Delivery): Promise<Webhook> {
    const verifier = this.#verifier ?? createVerifier(await this.#secretProvider?.());
    try {
      return await verifier.verify(delivery, this.#settings);
    } catch (error) {
      if (!isExplicable(error, this.#settings)) throw error;
      throw await explain(error, delivery, verifier.secrets);
    }
  }
}

function createVerifier(secrets: unknown): NodeVerifier | WebVerifier {
  const keys = secretKeys(secrets);
  const nodeCrypto = findNodeCrypto();
  return nodeCrypto === undefined ? new WebVerifier(keys) : new NodeVerifier(nodeCrypto, keys);
}

/** Not by instanceof: a Request may come from another implementation than the global one. */
function isRequest(input: Request | WebhookInput): input is Request {
  return typeof (input as Partial<Request> | undefined)?.arrayBuffer === "function";
}
