import type { Store } from "../src/stores/store.ts";

/**
 * The life of a pretended process, which ends at one of its boundaries: before or after a commit, before or after a
 * request. What it does afterwards has no effect and never ends.
 */
export class Life {
  /** The boundaries that were crossed. */
  readonly crossed: string[] = [];
  readonly #last: number;
  readonly #end = Promise.withResolvers<"crashed">();
  #isOver = false;

  /** @param last How many boundaries it crosses. */
  constructor(last = Number.POSITIVE_INFINITY) {
    this.#last = last;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  async cross(boundary: string): Promise<void> {
    if (!this.#isOver && this.crossed.length < this.#last) {
      this.crossed.push(boundary);
      return;
    }
    this.kill();
    await new Promise(() => {});
  }

  kill(): void {
    this.#isOver = true;
    this.#end.resolve("crashed");
  }

  /** Runs until it is done, or the process ends. */
  run<T>(work: () => Promise<T>): Promise<T | "crashed"> {
    return Promise.race([work(), this.#end.promise]);
  }

  /** The store as this process has it. */
  store(store: Store): Store {
    return {
      ...store,
      transaction: async (work, options) => {
        await this.cross("before a transaction");
        const result = await store.transaction(work, options);
        await this.cross("after a commit");
        return result;
      },
    };
  }
}
