/** A place among the requests under way, or in the queue for one. */
export interface Place {
  /** Resolves when it is this request's turn; undefined when that is now. */
  readonly turn: Promise<void> | undefined;
  /** Gives the place up, whether its turn had come or not. */
  leave(): void;
}

/** Lets so many requests of a client be under way at once; the others queue up. */
export class Concurrency {
  #free: number;
  readonly #queue = new Set<() => void>();

  constructor(limit: number) {
    this.#free = limit;
  }

  enter(): Place {
    if (this.#free > 0) {
      this.#free -= 1;
      return { turn: undefined, leave: () => this.#release() };
    }
    const { promise: turn, resolve } = Promise.withResolvers<void>();
    this.#queue.add(resolve);
    const leave = () => {
      if (!this.#queue.delete(resolve)) this.#release();
    };
    return { turn, leave };
  }

  /** Hands the place to the next in the queue. */
  #release(): void {
    const [next] = this.#queue;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#queue.delete(next);
    next();
  }
}
