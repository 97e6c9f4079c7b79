import { AbortError } from "../../errors.ts";

/** Work under way, and how many wait for it. */
interface Flight<T> {
  readonly request: string;
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

/**
 * Lets equal requests for one key share their work, and unequal ones take turns. The first caller's
 * deadline holds for the work. A caller who aborts leaves it to the others; the last one takes it along.
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
      const over = flight.result.catch(() => {}).then(() => "over" as const);
      if ((await unlessAborted(over, signal)) === undefined) throw aborted(signal, "not_sent");
      flight = this.#flights.get(key);
    }
    return this.#join(flight ?? this.#launch(key, request, start), signal);
  }

  #launch(key: string, request: string, start: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController();
    // Those who wait for the result find the key free.
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

/** Gives what the work gives, or undefined when the signal aborts first. */
async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  if (!signal) return work;
  const { promise: left, resolve } = Promise.withResolvers<undefined>();
  const leave = () => resolve(undefined);
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  try {
    return await Promise.race([left, work]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

function aborted(signal: AbortSignal | undefined, outcome: "not_sent" | "unknown"): AbortError {
  const rest =
    outcome === "unknown"
      ? "Others wait for the same withdrawal, so it goes on and may be made."
      : "Nothing was sent.";
  return new AbortError(`createOnce was aborted for this caller. ${rest}`, {
    code: "aborted",
    operation: "withdrawals.createOnce",
    outcome,
    cause: signal?.reason,
  });
}
