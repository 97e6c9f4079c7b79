import { type WebhookFailureReason, WebhookVerificationError } from "../errors.ts";
import { type IncomingRequest, readDelivery } from "./delivery.ts";
import { checkOption } from "./option-check.ts";
import { report } from "./report.ts";
import type { Settings } from "./settings.ts";
import type { Verifier } from "./verifier.ts";
import type { Webhook } from "./webhook.ts";

/** Without a body, whatever happened: why a delivery was refused is the merchant's business alone. */
interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
}

type Handler = (webhook: Webhook) => unknown;

/** Answers requests, whatever platform they came in by. */
export interface Receiver {
  on(event: string, handler: Handler): void;
  receive(request: IncomingRequest): Promise<Answer>;
}

export function createReceiver(settings: Settings, verifier: Verifier): Receiver {
  const handlers = new Map<string, Handler[]>();

  async function statusFor(request: IncomingRequest): Promise<number> {
    if (request.method !== "POST") return 405;
    let webhook: Webhook | undefined;
    try {
      const delivery = await readDelivery(request, settings);
      // The sender went away: nobody will see this answer.
      if (delivery === undefined) return 400;
      webhook = await verifier.verify(delivery);
      // An event that nobody asked for is acknowledged: refusing it would only bring it again.
      for (const handler of handlers.get(webhook.event) ?? handlers.get("*") ?? []) {
        await handler(webhook);
      }
      return 200;
    } catch (error) {
      const status = webhook === undefined ? refusalStatus(error) : 500;
      await report(settings, status === 500 ? "error" : "warn", error, webhook);
      return status;
    }
  }

  return {
    on(event, handler) {
      checkOption("handler", typeof handler === "function", "a function");
      handlers.set(event, [...(handlers.get(event) ?? []), handler]);
    },
    async receive(request) {
      const status = await statusFor(request);
      return { status, headers: status === 405 ? { Allow: "POST" } : {} };
    },
  };
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
