import { readHeaderPrefix } from "../webhooks/options.ts";
import { createEvents } from "./event-bus.ts";
import type { SandboxOptions } from "./options.ts";
import { createRandomSource } from "./random.ts";
import { createStore } from "./state/store.ts";
import { type Clock, createClock } from "./time/clock.ts";
import { createTaskQueue } from "./webhooks/endpoint.ts";

export type Core = ReturnType<typeof createCore>;

const maxWebhooksInFlight = 16;

/** The shared parts of a sandbox. */
export function createCore(options: SandboxOptions) {
  const { seed, now, dialect = "documented" } = options;
  const headerPrefix = readHeaderPrefix(options.headerPrefix);
  const store = createStore();
  const random = createRandomSource(seed, store);
  // Each needs the other: the clock emits events, and events have a time.
  const events = createEvents(store, () => clock.now());
  /** The webhooks in flight, which `clock.advance` waits for. */
  const inFlight = createTaskQueue(maxWebhooksInFlight);
  const clock: Clock = createClock(now, inFlight.idle, events, store);
  return { headerPrefix, dialect, store, random, events, clock, inFlight };
}
