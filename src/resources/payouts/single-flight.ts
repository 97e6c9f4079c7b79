import { AbortError } from "../../errors.ts";
import { unlessAborted } from "../../http/time.ts";

/** Work in progress, and how many callers wait for it. */
interface Flight<T> {
  readonly request: string;
  readonly names: Set<string>;
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

/** A caller, named in the error if it aborts. */
export interface Caller {
  readonly operation: string;
  readonly idempotencyKey: string;
  readonly signal: AbortSignal | undefined;
  /** Waits for another run. Throws when the caller aborts, or at the caller's deadline. */
  inTime(other: Promise<unknown>): Promise<unknown>;
  /** The error if the caller aborts before it joins a run. */
  aborted(): unknown;
}

/**
 * Equal requests share one run. Different requests with a common name run one after another. The first caller's
 * deadline applies to the run. One caller's abort does not cancel the others; the run stops when the last caller
 * aborts.
 */
export class SingleFlight<T extends NonNullable<unknown>> {
  readonly #flights = new Set<Flight<T>>();

  async run(
    names: readonly string[],
    request: string,
    start: (signal: AbortSignal) => Promise<T>,
    caller: Caller,
  ): Promise<T> {
    for (;;) {
      const isShared = (flight: Flight<T>) => names.some((name) => flight.names.has(name));
      const running = [...this.#flights].find(isShared);
      if (!running && caller.signal?.aborted) throw caller.aborted();
      const flight = running ?? this.#launch(request, start);
      if (flight.request === request && !flight.controller.signal.aborted) {
        for (const name of names) flight.names.add(name);
        return this.#join(flight, caller);
      }
      await caller.inTime(flight.result.catch(() => {}));
    }
  }

  #launch(request: string, start: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController();
    // Removed before the callers get the result.
    const result = start(controller.signal).finally(() => this.#flights.delete(flight));
    const flight = { request, names: new Set<string>(), result, controller, waiting: 0 };
    this.#flights.add(flight);
    return flight;
  }

  async #join(flight: Flight<T>, caller: Caller): Promise<T> {
    const { signal } = caller;
    flight.waiting += 1;
    try {
      const result = await unlessAborted(flight.result, signal);
      if (result !== undefined) return result;
      if (flight.waiting > 1) throw left(caller);
      flight.controller.abort(signal?.reason);
      return await flight.result;
    } finally {
      flight.waiting -= 1;
    }
  }
}

function left({ operation, idempotencyKey, signal }: Caller): AbortError {
  return new AbortError(
    `${operation} was aborted for this caller. Other callers are waiting for the same withdrawal, so the call ` +
      "continues and may create it.",
    { operation, idempotencyKey, code: "aborted", outcome: "unknown", cause: signal?.reason },
  );
}
