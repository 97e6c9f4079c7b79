import { readHeaderPrefix } from "../webhooks/options.ts";
import type { SandboxOptions } from "./options.ts";
import { createRandomSource } from "./random.ts";
import { createStore } from "./state/store.ts";
import { createClock } from "./time/clock.ts";
import { createTaskQueue } from "./webhooks/endpoint.ts";

export type Core = ReturnType<typeof createCore>;

/** The shared parts of a sandbox. */
export function createCore(options: SandboxOptions) {
  const { seed, now, dialect = "documented" } = options;
  const headerPrefix = readHeaderPrefix(options.headerPrefix);
  const store = createStore();
  const random = createRandomSource(seed, store);
  /** The webhooks in flight, which `clock.advance` waits for. */
  const inFlight = createTaskQueue(16);
  const clock = createClock(now, inFlight.idle, store);
  return { headerPrefix, dialect, store, random, events: clock.events, clock, inFlight };
}
