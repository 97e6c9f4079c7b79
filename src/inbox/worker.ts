import { type Duration, parseDuration } from "../duration.ts";
import {
  Alarm,
  checkWhole,
  type Loop,
  type RunningWorker,
  type readDue,
  runWorker,
} from "../stores/worker.ts";
import { checkOptionNames, invalidOption, show } from "../values.ts";
import { Crew } from "./crew.ts";
import { tidy } from "./operate.ts";
import { reconcileDue } from "./reconcile.ts";
import type { InboxContext } from "./settle.ts";

/** The options of `inbox.start`. */
export interface StartOptions {
  /**
   * How many subjects and tasks are processed at once. A PostgreSQL pool needs a client for each, plus one.
   *
   * @defaultValue 8
   */
  readonly concurrency?: number | undefined;
  /**
   * How often to check the service's lists for changes that no webhook reported. Only one of all processes checks each
   * time. `false` for never.
   *
   * @defaultValue "5m"
   */
  readonly reconcileEvery?: Duration | false | undefined;
  /**
   * How long `stop` waits for running work, in milliseconds.
   *
   * @defaultValue 25_000
   */
  readonly drainMs?: number | undefined;
  /**
   * How often to look for due work without being notified, in milliseconds.
   *
   * @defaultValue 500
   */
  readonly pollMs?: number | undefined;
}

const tidyEveryMs = 600_000;

export function startWorker(context: InboxContext, options: StartOptions): RunningWorker {
  checkOptionNames(options, ["concurrency", "reconcileEvery", "drainMs", "pollMs"]);
  const { concurrency = 8, reconcileEvery = "5m", drainMs = 25_000, pollMs = 500 } = options;
  checkWhole("concurrency", concurrency, 1);
  checkWhole("drainMs", drainMs, 0);
  checkWhole("pollMs", pollMs, 1);
  const everyMs =
    reconcileEvery === false ? Number.POSITIVE_INFINITY : parseDuration(reconcileEvery);
  if (everyMs === undefined || everyMs < 1_000) {
    throw invalidOption(
      "reconcileEvery",
      `The option reconcileEvery must be false or at least a second, such as "5m", got ${show(reconcileEvery)}.`,
    );
  }
  const [stopping, stopped] = [new AbortController(), new AbortController()];
  const alarm = new Alarm(stopping.signal);
  const crew = new Crew(context, concurrency, {
    stopping: stopping.signal,
    stopped: stopped.signal,
    onFinish: () => alarm.ring(),
  });
  const loops: Loop[] = [
    { waitMs: pollMs, isWoken: true, turn: async () => (await crew.round()) > 0 },
    { waitMs: tidyEveryMs, turn: () => tidy(context) },
  ];
  if (reconcileEvery !== false) {
    const turn = async () => {
      await reconcileDue(context, everyMs, stopped.signal);
      return false;
    };
    loops.push({ waitMs: Math.min(everyMs, 30_000), turn });
  }
  return runWorker({
    store: context.store,
    observers: context.observers,
    channel: "inbox",
    alarm,
    drainMs,
    loops,
    idle: () => crew.idle(),
    stopping,
    stopped,
    onError: (error) => context.report({ type: "failed", error }),
  });
}

/** Works without a long-running process: until nothing is due, or the signal aborts. Returns how much was processed. */
export async function settleAllDue(
  context: InboxContext,
  { concurrency, signal }: ReturnType<typeof readDue>,
): Promise<number> {
  const crew = new Crew(context, concurrency, { stopping: signal });
  await crew.settleDue();
  while ((await tidy(context)) && !signal.aborted);
  return crew.finished;
}
