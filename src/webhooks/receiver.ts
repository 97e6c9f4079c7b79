import {
  type WebhookFailureReason,
  WebhookVerificationError,
} from "../errors/webhook-verification-error.ts";
import type { BodySource } from "./body-source.ts";
import { type Delivery, readDelivery } from "./delivery.ts";
import type { WebhookHeaders } from "./headers.ts";
import { checkOption } from "./option-check.ts";
import { report } from "./report.ts";
import type { Settings } from "./settings.ts";
import type { Webhook } from "./webhook.ts";

/** A request as each platform's adapter describes it. */
export interface IncomingRequest {
  readonly method: string | undefined;
  readonly headers: WebhookHeaders;
  /** Throws when the body is no longer there to be verified. */
  body(): BodySource;
}

type Handler = (webhook: Webhook) => unknown;

/** Answers requests with a status, whatever platform they came in by. */
export class Receiver {
  readonly #settings: Settings;
  readonly #verify: (delivery: Delivery) => Promise<Webhook>;
  readonly #handlers = new Map<string, Handler[]>();

  constructor(settings: Settings, verify: (delivery: Delivery) => Promise<Webhook>) {
    this.#settings = settings;
    this.#verify = verify;
  }

  on(event: string, handler: Handler): void {
    checkOption("handler", typeof handler === "function", "a function");
    const handlers = this.#handlers.get(event);
    if (handlers === undefined) this.#handlers.set(event, [handler]);
    else handlers.push(handler);
  }

  /** The status to answer with; undefined when nobody is there any more to be answered. */
  async receive(request: IncomingRequest): Promise<number | undefined> {
    if (request.method !== "POST") return 405;
    let webhook: Webhook | undefined;
    try {
      const delivery = await readDelivery(request.headers, request.body(), this.#settings);
      if (delivery === undefined) return undefined;
      webhook = await this.#verify(delivery);
      await this.#handle(webhook);
      return 200;
    } catch (error) {
      const status = webhook === undefined ? refusalStatus(error) : 500;
      await report(this.#settings, status === 500 ? "error" : "warn", error, webhook);
      return status;
    }
  }

  async #handle(webhook: Webhook): Promise<void> {
    // An event that nobody asked for is acknowledged: refusing it would only bring it again.
    const handlers = this.#handlers.get(webhook.event) ?? this.#handlers.get("*") ?? [];
    for (const handler of handlers) await handler(webhook);
  }
}

const refusalStatuses: Partial<Record<WebhookFailureReason, number>> = {
  body_already_parsed: 500,
  body_too_large: 413,
  invalid_json: 400,
  invalid_event: 400,
};

function refusalStatus(error: unknown): number {
  if (!(error instanceof WebhookVerificationError)) return 500;
  return refusalStatuses[error.reason] ?? 401;
}
