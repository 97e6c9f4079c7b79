import { InvalidRequestError } from "../errors/invalid-request-error.ts";

/** Something in a sandbox that changes: what a reset forgets, and what a snapshot keeps. */
export interface StatePart {
  clear(): void;
  /** Keeps how it stands now. Gives what puts that back, as often as it is called. */
  capture(): () => void;
}

/** Keeps a map whose keys and values never change themselves. */
export function captureMap<Key, Value>(map: Map<Key, Value>): () => void {
  const entries = [...map];
  return () => {
    map.clear();
    for (const [key, value] of entries) map.set(key, value);
  };
}

/** A single value that tests may set. */
export interface Setting<Value> extends StatePart {
  get(): Value;
  set(value: Value): void;
}

export function createSetting<Value>(initial: Value): Setting<Value> {
  let value = initial;
  const set = (next: Value) => {
    value = next;
  };
  return {
    get: () => value,
    set,
    clear: () => set(initial),
    capture() {
      const captured = value;
      return () => set(captured);
    },
  };
}

/** How a sandbox stood at one time. Only that sandbox can go back to it. */
export interface SandboxSnapshot {
  /** The sandbox's time, ISO 8601, UTC. */
  readonly takenAt: string;
}

/** Everything that changes in a sandbox, as one. */
export interface State {
  clear(): void;
  take(takenAt: Date): SandboxSnapshot;
  /** @throws {InvalidRequestError} code `foreign_snapshot`. */
  restore(snapshot: SandboxSnapshot): void;
}

export function createState(parts: readonly StatePart[]): State {
  const restorers = new WeakMap<SandboxSnapshot, readonly (() => void)[]>();

  return {
    clear() {
      for (const part of parts) part.clear();
    },
    take(takenAt) {
      const snapshot = Object.freeze({ takenAt: takenAt.toISOString() });
      restorers.set(
        snapshot,
        parts.map((part) => part.capture()),
      );
      return snapshot;
    },
    restore(snapshot) {
      const restorer = restorers.get(snapshot);
      if (restorer === undefined) throw foreignSnapshot();
      for (const restorePart of restorer) restorePart();
    },
  };
}

function foreignSnapshot(): InvalidRequestError {
  return new InvalidRequestError(
    "This is no snapshot of this sandbox. Pass what its own snapshot() gave; it cannot be copied or " +
      "stored.",
    { code: "foreign_snapshot", param: "snapshot" },
  );
}
