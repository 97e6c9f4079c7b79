import type { InboxItem } from "./events.ts";

const firstPauseMs = 1_000;
/** How soon, at the latest, the end of an outage is noticed. */
const longestPauseMs = 30_000;

interface Outage {
  /** Failed attempts to read. */
  readonly failures: number;
  readonly pausedUntil: number;
}

/**
 * A circuit breaker for each tenant's payments and withdrawals. It is open while this worker cannot read them: the key
 * was revoked, or the service is unavailable. Its keys are those of `sourceOf`.
 */
export class Outages {
  readonly #outages = new Map<string, Outage>();

  /** All sources that cannot be read. */
  get all(): string[] {
    return [...this.#outages.keys()];
  }

  has(item: InboxItem): boolean {
    return this.#outages.has(sourceOf(item));
  }

  /** Pauses after a failed attempt. True if the outage has just begun. */
  pause(item: InboxItem): boolean {
    const source = sourceOf(item);
    const known = this.#outages.get(source);
    const now = performance.now();
    // Reads that were already running when the outage began.
    if (known !== undefined && now < known.pausedUntil) return false;
    const failures = (known?.failures ?? 0) + 1;
    const pauseMs = Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);
    const pausedUntil = now + pauseMs * (0.5 + Math.random() / 2);
    this.#outages.set(source, { failures, pausedUntil });
    return known === undefined;
  }

  end(item: InboxItem): void {
    this.#outages.delete(sourceOf(item));
  }

  /** The sources of which one subject may be tried, unless one is `running`. */
  due(running: readonly InboxItem[]): string[] {
    const tried = new Set(running.map(sourceOf));
    const now = performance.now();
    return [...this.#outages]
      .filter(([source, { pausedUntil }]) => now >= pausedUntil && !tried.has(source))
      .map(([source]) => source);
  }

  /** Tries everything of these sources again. */
  forget(sources: readonly string[]): void {
    for (const source of sources) this.#outages.delete(source);
  }
}

/** A tenant's payments or withdrawals, as `subjectsOf` names them. */
function sourceOf({ kind, tenant }: InboxItem): string {
  return `${kind}/${tenant}`;
}
