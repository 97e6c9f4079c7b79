import { type WebhookFailureReason, WebhookVerificationError } from "../errors.ts";
import { misspeltEvent, show, thrownText } from "../values.ts";
import { type Receive, readDelivery } from "./delivery.ts";
import { eventNames, noData, type Webhook } from "./event.ts";
import { createFetchHandler } from "./handlers/fetch.ts";
import { createLambdaHandler } from "./handlers/lambda.ts";
import { createNodeHandler } from "./handlers/node.ts";
import type { Delivery } from "./headers.ts";
import { checkOption, type Settings } from "./options.ts";
import type { Receptions } from "./reception.ts";

type Handler = (webhook: Webhook) => unknown;

export type Receiver = ReturnType<typeof createReceiver>;

/** Answers requests from any platform. */
export function createReceiver(
  settings: Settings,
  verify: (delivery: Delivery) => Webhook | Promise<Webhook>,
  receptions: Receptions,
) {
  const { logger, onError } = settings;
  const handlers = new Map<string, Handler[]>();
  const unhandled = new Set<string>();

  /** Without a logger, the console gets one line for a warning, and the stack for an error. */
  async function log(level: "warn" | "error", message: string, details: Record<string, unknown>) {
    const target: Pick<Console, "warn" | "error"> = logger ?? console;
    try {
      await target[level](message, ...(logger || level === "error" ? [details] : []));
    } catch {}
  }

  /** Reports to the merchant. A failing `onError` is logged with the error, and does not change the response. */
  async function report(level: "warn" | "error", error: unknown, webhook?: Webhook) {
    const name = webhook ? ` of ${show(webhook.event)}` : "";
    const message = `A webhook delivery${name} ${level === "warn" ? "was refused" : "failed"}. ${thrownText(error)}`;
    const failure = { error, ...(webhook && idsOf(webhook)) };
    // Without the stack: anyone can have thousands of deliveries refused.
    const details = level === "warn" ? { reason: Object(error).reason } : failure;
    if (logger || !onError) await log(level, message, details);
    try {
      await onError?.(error, webhook);
    } catch (failure) {
      await log(level, `${message} (onError failed, too: ${thrownText(failure)})`, details);
    }
  }

  async function handle(webhook: Webhook): Promise<void> {
    const { event } = webhook;
    // Handlers of a specific event rely on its data.
    const hasData = webhook.data !== noData;
    const found = (hasData && handlers.get(event)) || handlers.get("*");
    // No warning for creations if updates are handled: merchants request creations themselves, and rarely need them.
    const isFollowed = hasData && handlers.has(event.replace(/created$/, "updated"));
    // This may be the only notice of the payment, and it is not sent again.
    const isLost = hasData && event === "payment.confirmed" && handlers.has("payment.updated");
    if (found === undefined && !isFollowed && (isLost || !unhandled.has(event))) {
      unhandled.add(event);
      const name = show(event) + (hasData ? "" : " without data");
      const cure = isLost ? " Handle it like payment.updated." : "";
      const message = `There is no handler for the event ${name}. The response was 200.${cure}`;
      void log(isLost ? "error" : "warn", message, idsOf(webhook));
    }
    for (const handler of found ?? []) await handler(webhook);
  }

  async function statusFor(...[request, readBody]: Parameters<Receive>): Promise<number> {
    if (request.method !== "POST") return 405;
    const reception = receptions.begin();
    let webhook: Webhook | undefined;
    try {
      const delivery = await readDelivery(request, readBody, settings);
      if (delivery === undefined) {
        // The sender disconnected, so nobody sees the response.
        reception.end({ status: 400 });
        return 400;
      }
      const verified = await verify(delivery);
      webhook = verified;
      await reception.around(() => handle(verified));
      reception.end({ webhook, status: 200 });
      return 200;
    } catch (error) {
      const status = webhook === undefined ? refusalStatus(error) : 500;
      reception.end({ webhook, error, status });
      await report(status === 500 ? "error" : "warn", error, webhook);
      return status;
    }
  }

  /** Responds with the status alone: why a delivery was refused is only for the merchant. */
  const receive: Receive = async (...received) => {
    const status = await statusFor(...received);
    return { status, headers: status === 405 ? { Allow: "POST" } : {} };
  };

  return {
    on(event: string, handler: Handler) {
      checkOption("event", typeof event === "string" && event !== "", "the name of an event");
      checkOption("handler", typeof handler === "function", "a function");
      const problem = misspeltEvent(event, eventNames);
      if (problem !== undefined) void log("warn", problem, { event });
      handlers.set(event, [...(handlers.get(event) ?? []), handler]);
    },
    fetchHandler: () => createFetchHandler(receive),
    nodeHandler: () => createNodeHandler(receive),
    lambdaHandler: () => createLambdaHandler(receive),
  };
}

/** The parts of a webhook that a log may contain. */
function idsOf({ event, data, hints }: Webhook): Record<string, unknown> {
  const ids = Object.entries({ id: data.id, orderId: data.orderId });
  return {
    event,
    ...Object.fromEntries(ids.filter(([, value]) => typeof value === "string")),
    hints,
  };
}

const refusalStatuses: Partial<Record<WebhookFailureReason, number>> = {
  body_already_parsed: 500,
  body_timeout: 408,
  body_too_large: 413,
  invalid_json: 400,
  invalid_event: 400,
};

/** The response status for a delivery that was not verified. */
export function refusalStatus(error: unknown): number {
  if (!(error instanceof WebhookVerificationError)) return 500;
  return refusalStatuses[error.reason] ?? 401;
}
