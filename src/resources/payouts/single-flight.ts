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
  /** Waits for another run until the caller aborts. Throws at the caller's deadline. */
  inTime(other: Promise<unknown>): Promise<unknown>;
}

/**
 * Equal requests share one run. Different requests with a common name run one after another. The first caller's
 * deadline applies to the run. One caller's abort does not cancel the others; the run stops when the last caller
 * aborts.
 */
export class SingleFlight<T> {
  readonly #flights = new Set<Flight<T>>();

  async run(
    names: readonly string[],
    request: string,
    start: (signal: AbortSignal) => Promise<T>,
    caller: Caller,
  ): Promise<T> {
    for (;;) {
      if (caller.signal?.aborted) throw aborted(caller, "not_sent");
      const isShared = (flight: Flight<T>) => names.some((name) => flight.names.has(name));
      const flight = [...this.#flights].find(isShared) ?? this.#launch(request, start);
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
      const landed = await unlessAborted(
        flight.result.then((value) => ({ value })),
        signal,
      );
      if (landed) return landed.value;
      if (flight.waiting > 1) throw aborted(caller, "unknown");
      flight.controller.abort(signal?.reason);
      return await flight.result.catch((error: unknown) => {
        const isEarly = AbortError.is(error) && error.outcome === "not_sent";
        throw isEarly ? aborted(caller, "not_sent") : error;
      });
    } finally {
      flight.waiting -= 1;
    }
  }
}

function aborted({ signal, ...facts }: Caller, outcome: "not_sent" | "unknown"): AbortError {
  const rest =
    outcome === "unknown"
      ? " for this caller. Other callers are waiting for the same withdrawal, so the call continues and may create it."
      : ". Nothing was sent.";
  const message = `${facts.operation} was aborted${rest}`;
  return new AbortError(message, { ...facts, code: "aborted", outcome, cause: signal?.reason });
}
