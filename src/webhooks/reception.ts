import { SettlekitError, type WebhookFailureReason, WebhookVerificationError } from "../errors.ts";
import { channel } from "../runtime.ts";
import type { Webhook } from "./event.ts";

interface ReceptionEvent {
  /** Numbers the deliveries of one `Webhooks`; all events of one delivery have the same value. */
  readonly receptionId: number;
}

/** A delivery arrived. Every start has exactly one end. */
export interface WebhookStartEvent extends ReceptionEvent {
  readonly type: "start";
}

/** A delivery was verified or refused, or its sender disconnected. A `Webhooks` handler has then also answered it. */
export interface WebhookEndEvent extends ReceptionEvent {
  readonly type: "end";
  /** Whether it was authentic and no handler threw. */
  readonly ok: boolean;
  readonly durationMs: number;
  /** The event's name, once the delivery was verified. */
  readonly event?: string;
  /** Why it was refused. */
  readonly reason?: WebhookFailureReason;
  /** The class of the error, if something failed on this side. */
  readonly error?: string;
  /** The response status, if a `Webhooks` handler received it. */
  readonly status?: number;
}

/** The messages on the diagnostics channel `settlekit:webhooks`. They contain no secrets, amounts or bodies. */
export type WebhooksEvent = WebhookStartEvent | WebhookEndEvent;

/** Observes the deliveries of the `Webhooks` that it was added to, as `settlekit/opentelemetry` does. */
export interface WebhooksObserver {
  onEvent(event: WebhooksEvent, webhook?: Webhook): void;
  /** Runs the handlers of a delivery. */
  around<T>(receptionId: number, run: () => T): T;
}

interface Facts {
  readonly webhook?: Webhook | undefined;
  readonly error?: unknown;
  readonly status?: number;
}

const unobserved = { end(_facts: Facts) {}, around: <T>(run: () => T) => run() };

/** Reports the deliveries of one `Webhooks` to its observers, none of which can change a response. */
export class Receptions {
  readonly observers = new Set<WebhooksObserver>();
  readonly #channel = channel("settlekit:webhooks");
  #count = 0;

  begin(): typeof unobserved {
    if (this.observers.size === 0 && !this.#channel.hasSubscribers) return unobserved;
    const receptionId = ++this.#count;
    const observers = [...this.observers];
    const startedAt = performance.now();
    const tell = (event: WebhooksEvent, webhook?: Webhook) => {
      for (const observer of observers) {
        try {
          observer.onEvent(event, webhook);
        } catch {}
      }
      this.#channel.publish(event);
    };
    tell({ type: "start", receptionId });
    return {
      end: (facts) => {
        const { webhook, status } = facts;
        const durationMs = performance.now() - startedAt;
        // Even undefined can be thrown.
        const failure = "error" in facts ? failureOf(facts.error) : undefined;
        const event: WebhookEndEvent = {
          type: "end",
          receptionId,
          ok: webhook !== undefined && failure === undefined,
          durationMs,
          ...(webhook !== undefined && { event: webhook.event }),
          ...failure,
          ...(status !== undefined && { status }),
        };
        tell(event, webhook);
      },
      around: (run) =>
        observers.reduce((inner, observer) => () => observer.around(receptionId, inner), run)(),
    };
  }
}

function failureOf(error: unknown): Pick<WebhookEndEvent, "reason" | "error"> {
  if (error instanceof WebhookVerificationError) return { reason: error.reason };
  return { error: error instanceof Error || SettlekitError.is(error) ? error.name : "Error" };
}
