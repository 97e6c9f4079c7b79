import { AbortError } from "../../errors.ts";
import { unlessAborted } from "../../http/time.ts";

/** Work in progress, and how many callers wait for it. */
interface Flight<T> {
  readonly request: string;
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

/**
 * Lets equal requests for one key share their work, and unequal ones take turns. The first caller's deadline
 * applies to the work. One caller's abort does not cancel the others; the work stops when the last one aborts.
 */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>();

  async run(
    key: string,
    request: string,
    start: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    if (signal?.aborted) throw aborted(signal, "not_sent");
    let flight = this.#flights.get(key);
    while (flight && (flight.request !== request || flight.controller.signal.aborted)) {
      await unlessAborted(flight.result, signal).catch(() => {});
      if (signal?.aborted) throw aborted(signal, "not_sent");
      flight = this.#flights.get(key);
    }
    return this.#join(flight ?? this.#launch(key, request, start), signal);
  }

  #launch(key: string, request: string, start: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController();
    // The key is free again before the callers get the result.
    const result = start(controller.signal).finally(() => this.#flights.delete(key));
    const flight = { request, result, controller, waiting: 0 };
    this.#flights.set(key, flight);
    return flight;
  }

  async #join(flight: Flight<T>, signal: AbortSignal | undefined): Promise<T> {
    flight.waiting += 1;
    try {
      const landed = await unlessAborted(
        flight.result.then((value) => ({ value })),
        signal,
      );
      if (landed) return landed.value;
      if (flight.waiting > 1) throw aborted(signal, "unknown");
      flight.controller.abort(signal?.reason);
      return await flight.result;
    } finally {
      flight.waiting -= 1;
    }
  }
}

function aborted(signal: AbortSignal | undefined, outcome: "not_sent" | "unknown"): AbortError {
  const rest =
    outcome === "unknown"
      ? "Other callers wait for the same withdrawal, so the call continues and may create it."
      : "Nothing was sent.";
  return new AbortError(`createOnce was aborted for this caller. ${rest}`, {
    code: "aborted",
    operation: "withdrawals.createOnce",
    outcome,
    cause: signal?.reason,
  });
}
