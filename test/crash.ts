import type { Store, Work } from "../src/stores/store.ts";

/** Whether to crash at every boundary (`SETTLEKIT_CRASH_STEPS=all`), or only at a sample. */
const isWhole = process.env.SETTLEKIT_CRASH_STEPS === "all";

type Send = (url: string, init: RequestInit) => Promise<Response>;

/** A new promise for each wait, so that waiting work can be garbage-collected. */
const nothing = () => new Promise<never>(() => {});

/** Rolls back a transaction. The crashed process never sees it. */
class Cut extends Error {}

/**
 * A simulated process that crashes at one of its boundaries: before a statement, before or after a commit, before a
 * request, before its response, or within that. Work after the crash has no effect and never ends.
 */
export class Life {
  /** The boundaries that were crossed. */
  readonly crossed: string[] = [];
  readonly #last: number;
  readonly #end = Promise.withResolvers<void>();
  readonly #transactions = new Set<Promise<unknown>>();
  #isOver = false;

  /** @param last How many boundaries it crosses before it crashes. */
  constructor(last = Number.POSITIVE_INFINITY) {
    this.#last = last;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  async cross(boundary: string): Promise<void> {
    if (!this.#passes(boundary)) await nothing();
  }

  /** Runs work until it is done or the process has crashed. */
  run<T>(work: () => Promise<T>): Promise<T | "crashed"> {
    return this.#isOver ? this.#ended() : Promise.race([work(), this.#ended()]);
  }

  /** A COMMIT that was sent before the crash still arrives. */
  async #ended(): Promise<"crashed"> {
    await this.#end.promise;
    await Promise.allSettled(this.#transactions);
    return "crashed";
  }

  /** The store as this process sees it. */
  store(store: Store): Store {
    return {
      ...store,
      transaction: async (work, options) => {
        if (this.#isOver) await nothing();
        const transaction = store.transaction(() => this.#stepwise(work()), options);
        this.#transactions.add(transaction);
        try {
          const result = await transaction;
          await this.cross("after a commit");
          return result;
        } catch (error) {
          if (this.#isOver) await nothing();
          throw error;
        } finally {
          this.#transactions.delete(transaction);
        }
      },
    };
  }

  /** The network as this process sees it. */
  fetch(send: Send): Send {
    return async (url, init) => {
      const request = `${init.method} ${new URL(url).pathname.replace(/[0-9a-f-]{36}/, "{id}")}`;
      await this.cross(`before ${request}`);
      const response = await send(url, init).finally(() => this.cross(`after ${request}`));
      const body = new TextEncoder().encode(await response.text());
      const half = body.length / 2;
      let isBegun = false;
      const pull = async (controller: ReadableStreamDefaultController) => {
        if (isBegun) {
          await this.cross(`within the answer to ${request}`);
          controller.enqueue(body.subarray(half));
          controller.close();
        } else controller.enqueue(body.subarray(0, half));
        isBegun = true;
      };
      const { status, headers } = response;
      return new Response(new ReadableStream({ pull }), { status, headers });
    };
  }

  #passes(boundary: string): boolean {
    if (!this.#isOver && this.crossed.length < this.#last) {
      this.crossed.push(boundary);
      return true;
    }
    this.#isOver = true;
    this.#end.resolve();
    return false;
  }

  *#stepwise<T>(work: Work<T>): Work<T> {
    let step = work.next();
    while (!step.done) {
      yield* this.#through(`before ${nameOf(step.value)}`);
      let result: unknown;
      try {
        result = yield step.value;
      } catch (error) {
        step = work.throw(error);
        continue;
      }
      step = work.next(result);
    }
    yield* this.#through("before a commit");
    return step.value;
  }

  /** When the process crashes, its connection breaks in the middle of the transaction. */
  *#through(boundary: string): Work<void> {
    if (this.#passes(boundary)) return;
    yield {
      run(tx: unknown) {
        // SQLite has no connection: the error alone rolls back the transaction.
        (tx as { connection?: { stream: { destroy(): void } } }).connection?.stream.destroy();
        throw new Cut();
      },
    };
  }
}

function nameOf(step: object): string {
  const [, verb, table] =
    ("text" in step && /^(\w+)[^{]*\{(?!now)(\w+)/.exec(String(step.text))) || [];
  return verb ? `${verb} ${table}` : "run" in step ? "an effect" : "a statement";
}

/** How many crashes there were, and at which kinds of boundaries. */
export interface Cuts {
  count: number;
  readonly kinds: Set<string>;
}

/**
 * Runs once to the end, and then again with a crash at each boundary of that run: by default, only at every `stride`th
 * boundary, beginning with number `from`.
 *
 * @param run Checks the guarantees itself.
 */
export async function cutEverywhere(
  run: (life: Life) => Promise<void>,
  { stride, from = 0 }: { stride: number; from?: number },
  cuts: Cuts = { count: 0, kinds: new Set() },
): Promise<Cuts> {
  const whole = new Life();
  await run(whole);
  for (const boundary of whole.crossed) cuts.kinds.add(boundary);
  const step = isWhole ? 1 : stride;
  let missed = 0;
  for (let last = isWhole ? 0 : from % stride; last < whole.crossed.length; last += step) {
    const life = new Life(last);
    const where = `cut at ${whole.crossed[last]}, boundary ${last}`;
    await run(life).catch((cause: unknown) => {
      throw new Error(where, { cause });
    });
    if (life.isOver) cuts.count++;
    else missed++;
  }
  // Concurrent work finishes in a different order each time, and may need a few statements more or fewer.
  if (missed > 1 + whole.crossed.length / step / 20) throw new Error(`${missed} cuts not reached.`);
  return cuts;
}
