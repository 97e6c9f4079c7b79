import { AbortError } from "../errors/abort-error.ts";

/** Work under way, and how many wait for it. */
interface Flight<T> {
  readonly request: string;
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

/**
 * Lets equal requests for one key share their work, and unequal ones take turns. A caller who aborts
 * leaves the work to the others; the last one takes it along.
 */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>();

  async run(
    key: string,
    request: string,
    start: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    let flight = this.#flights.get(key);
    while (flight && (flight.request !== request || flight.controller.signal.aborted)) {
      await flight.result.catch(() => {});
      flight = this.#flights.get(key);
    }
    return this.#join(flight ?? this.#launch(key, request, start), signal);
  }

  #launch(key: string, request: string, start: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController();
    const flight = { request, result: start(controller.signal), controller, waiting: 0 };
    const land = () => this.#flights.delete(key);
    // Registered before anybody can wait, so that those who do find the key free.
    flight.result.then(land, land);
    this.#flights.set(key, flight);
    return flight;
  }

  async #join(flight: Flight<T>, signal: AbortSignal | undefined): Promise<T> {
    flight.waiting += 1;
    let leave = () => {};
    const left = new Promise<"left">((resolve) => {
      leave = () => resolve("left");
    });
    if (signal?.aborted) leave();
    signal?.addEventListener("abort", leave, { once: true });
    try {
      const first = await Promise.race([left, flight.result]);
      if (first !== "left") return first;
      if (flight.waiting === 1) {
        flight.controller.abort(signal?.reason);
        return await flight.result;
      }
      throw new AbortError(
        "Aborted for this caller. Others wait for the same withdrawal, so it goes on and may be made.",
        { code: "aborted", outcome: "unknown", cause: signal?.reason },
      );
    } finally {
      flight.waiting -= 1;
      signal?.removeEventListener("abort", leave);
    }
  }
}
