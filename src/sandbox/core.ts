import { createEvents, type Events } from "./event-bus.ts";
import type { SandboxOptions } from "./options.ts";
import { createRandomSource, type RandomSource } from "./random.ts";
import { createStore, type Store } from "./state/store.ts";
import { type Clock, createClock } from "./time/clock.ts";
import { createTaskQueue, type TaskQueue } from "./webhooks/endpoint.ts";

export interface Core {
  readonly store: Store;
  readonly random: RandomSource;
  readonly events: Events;
  readonly clock: Clock;
  /** The webhooks in flight, which `clock.advance` waits for. */
  readonly inFlight: TaskQueue;
}

const maxWebhooksInFlight = 16;

export function createCore({ seed, now }: Pick<SandboxOptions, "seed" | "now">): Core {
  const store = createStore();
  const random = createRandomSource(seed, store);
  const events = createEvents(store);
  const inFlight = createTaskQueue(maxWebhooksInFlight);
  const clock = createClock(now, inFlight.idle, events, store);
  return { store, random, events, clock, inFlight };
}
