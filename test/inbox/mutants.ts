import type { Mutant } from "../mutants.ts";

/** The safeguards of the inbox, without which a test fails. */
export const inboxMutants: readonly Mutant[] = [
  {
    name: "a worker commits after its lease expired",
    file: "src/inbox/settle.ts",
    find: "  if (finished === undefined) throw new Fenced();",
    replace: "  if (finished === undefined) return 0;",
    test: "test/inbox/worker.test.ts",
    title: "commits nothing after its lease expired, even if",
  },
  {
    name: "an effect runs again for the same state",
    file: "src/inbox/run-effect.ts",
    find: "ON CONFLICT DO NOTHING RETURNING done_at",
    replace:
      "ON CONFLICT (subject_id, effect, state) DO UPDATE SET done_at = excluded.done_at RETURNING done_at",
    test: "test/inbox/inbox.test.ts",
    title: "run once for a paid payment",
  },
  {
    name: "two workers settle one subject",
    file: "src/inbox/claims.ts",
    find: "lease_until <= {now}",
    replace: "1 = 1",
    test: "test/inbox/model.test.ts",
    title: "neither repeat nor lose an effect",
  },
  {
    name: "a webhook is answered before it is stored",
    file: "src/inbox/inbox.ts",
    find: "    const { kind, id } = await store.transaction(() => acceptDelivery(tenant, webhook, cause), {",
    replace:
      "    const { kind, id } = { kind: undefined, id: undefined }; void store.transaction(() => acceptDelivery(tenant, webhook, cause), {",
    test: "test/inbox/crashes.test.ts",
    title: "on PostgreSQL holds I1 to I4",
  },
  {
    name: "a commit may be lost in a power cut",
    file: "src/stores/postgres-pool.ts",
    find: "SET LOCAL synchronous_commit TO ",
    replace: "SET LOCAL synchronous_commit TO off -- ",
    test: "test/stores/postgres.test.ts",
    title: "makes commits durable",
  },
  {
    name: "a status older than the signed one is accepted",
    file: "src/inbox/fetch.ts",
    find: "if (fetchedRank(kind, fetched.status) >= signed_rank) return fetched;",
    replace: "if (signed_rank >= 0) return fetched;",
    test: "test/inbox/current-status.test.ts",
    title: "is read again when a signed webhook",
  },
  {
    name: "a webhook that arrives while its subject is being settled is lost",
    file: "src/inbox/settle.ts",
    find: "SET seen = $3, status",
    replace: "SET seen = news + 0 * $3, status",
    test: "test/inbox/current-status.test.ts",
    title: "is read again when a webhook arrived",
  },
  {
    name: "a webhook during a failed attempt waits for the backoff",
    file: "src/inbox/claims.ts",
    find: "due_at = CASE WHEN due_at = $6 THEN",
    replace: "due_at = CASE WHEN due_at >= $6 THEN",
    test: "test/inbox/retrying.test.ts",
  },
  {
    name: "an outage of the service brings its payments nearer to parking",
    file: "src/inbox/settle.ts",
    find: "else if (failure.isOutage) await",
    replace: "else if (failure.isOutage === null) await",
    test: "test/inbox/outages.test.ts",
    title: "counts no failures",
  },
  {
    name: "a payment that alone cannot be read is never parked",
    file: "src/inbox/fetch.ts",
    find: "if (RateLimitError.is(cause)) throw",
    replace: "if (cause) throw",
    test: "test/inbox/outages.test.ts",
    title: "parks a payment that alone cannot be read",
  },
];
