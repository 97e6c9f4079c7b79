import { channel } from "../runtime.ts";
import { show } from "../values.ts";

/** Observes an inbox or a payout ledger, for `settlekit/opentelemetry`. */
export interface Observer<Event, Item> {
  onEvent(event: Event): void;
  /** Runs the work on one item. */
  around<T>(item: Item, run: () => T): T;
  /** Starts work that outlives its caller, outside the caller's trace. */
  detached<T>(run: () => T): T;
  /** The current W3C trace context, to be stored; null without one. */
  traceContext?(): string | null;
}

/** The observers of one object, and its node:diagnostics_channel channel. */
export class Observers<Event extends object, Item> {
  readonly #observers = new Set<Observer<Event, Item>>();
  readonly #channel: ReturnType<typeof channel>;

  constructor(name: string) {
    this.#channel = channel(name);
  }

  /** Returns a function that removes the observer. */
  add(observer: Observer<Event, Item>): () => void {
    this.#observers.add(observer);
    return () => void this.#observers.delete(observer);
  }

  tell(event: Event): void {
    for (const observer of this.#observers) {
      try {
        observer.onEvent(event);
      } catch {}
    }
    if (this.#channel.hasSubscribers) this.#channel.publish(event);
  }

  /** The first trace context that an observer returns. */
  traceContext(): string | null {
    for (const observer of this.#observers) {
      try {
        const found = observer.traceContext?.();
        if (found) return found;
      } catch {}
    }
    return null;
  }

  around<T>(item: Item, run: () => T): T {
    return [...this.#observers].reduce((inner, each) => () => each.around(item, inner), run)();
  }

  detached<T>(run: () => T): T {
    return [...this.#observers].reduce((inner, each) => () => each.detached(inner), run)();
  }
}

/** The part of `console` that is used. Loggers that take the details first, such as pino, need an adapter. */
export interface EventLogger {
  /** A failure that will be retried. */
  warn(message: string, details?: unknown): void;
  /** A failure that a person should look at. */
  error(message: string, details?: unknown): void;
}

interface Listeners<Event> {
  readonly onEvent?: ((event: Event) => unknown) | undefined;
  readonly logger?: EventLogger | undefined;
}

/** Reports events to observers, the logger and `onEvent`. None of them can affect the work. */
export function reporter<Event extends object>(
  observers: Pick<Observers<Event, never>, "tell">,
  { onEvent, logger = console }: Listeners<Event>,
  log: (event: Event, logger: EventLogger) => void,
): (event: Event) => void {
  return (event) => {
    observers.tell(event);
    // A logger that throws must not keep an alert from onEvent.
    try {
      log(event, logger);
    } catch {}
    try {
      const told: unknown = onEvent?.(event);
      // An unhandled rejection would end the process.
      Promise.resolve(told).catch(() => {});
    } catch {}
  };
}

/** For messages: ` of the tenant "a"`, or nothing without tenants. */
export function ofTenant(tenant: string | undefined): string {
  return tenant ? ` of the tenant ${show(tenant)}` : "";
}
