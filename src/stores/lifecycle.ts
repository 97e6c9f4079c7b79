import { ConfigurationError } from "../errors.ts";
import type { Store } from "./store.ts";
import type { RunningWorker } from "./worker.ts";

/** The worker of an inbox or a ledger: one at a time. */
export class WorkerSlot {
  readonly #owner: string;
  #worker: RunningWorker | undefined;

  constructor(owner: "inbox" | "ledger") {
    this.#owner = owner;
  }

  /** @throws {ConfigurationError} code `already_started` while a worker runs. */
  requireFree(method: string, cure: string): void {
    if (this.#worker === undefined) return;
    throw new ConfigurationError(
      `${method} was called while a worker of this ${this.#owner} is running. ${cure}`,
      { code: "already_started" },
    );
  }

  /** Holds the worker until it stops. */
  hold(worker: RunningWorker): RunningWorker {
    const stop = async () => {
      await worker.stop();
      if (this.#worker === held) this.#worker = undefined;
    };
    const held = { stop, [Symbol.asyncDispose]: stop };
    this.#worker = held;
    return held;
  }
}

/** Returns a function that runs `prepare` once, however often it is called, and again only after a failure. */
export function preparing(prepare: () => Promise<void>): () => Promise<void> {
  let prepared: Promise<void> | undefined;
  return () => {
    prepared ??= prepare().catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    return prepared;
  };
}

/** Delays every transaction until `ready` is done, at no cost afterwards. */
export function withReady(store: Store, ready: () => Promise<void>): Store {
  return {
    ...store,
    async transaction(work, options) {
      await ready();
      return store.transaction(work, options);
    },
  };
}
