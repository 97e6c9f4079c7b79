import type { Component } from "../stores/store.ts";

/** The states of a payout, in order. */
export const payoutStates = [
  "planned",
  "approved",
  "sending",
  "sent",
  "completed",
  "failed",
  "cancelled",
  "refused",
  "needs_decision",
] as const;

/** The tables of the payout ledger. */
export const payoutTables: Component = {
  name: "payouts",
  migrations: [
    [
      // At most one payout for each orderId, ever. Its worker holds the lease under the number `fence`.
      `CREATE TABLE {payouts} (
  id {serial},
  tenant TEXT NOT NULL,
  order_id TEXT NOT NULL,
  -- What is sent, as canonical JSON.
  body TEXT NOT NULL,
  amount BIGINT NOT NULL,
  -- In lower case, to add up what one recipient gets.
  recipient TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  state TEXT NOT NULL,
  -- 1 once the journal has its first entry.
  chained BIGINT NOT NULL DEFAULT 0,
  planned_by TEXT,
  approved_by TEXT,
  withdrawal_id TEXT,
  tx_hash TEXT,
  problem TEXT,
  planned_at BIGINT NOT NULL,
  sent_at BIGINT,
  final_at BIGINT,
  -- Since when it is unknown whether a withdrawal exists.
  doubt_since BIGINT,
  -- When its amount was taken from the budget; null where it was given back.
  reserved_at BIGINT,
  waits_until BIGINT,
  due_at BIGINT NOT NULL,
  lease_until BIGINT NOT NULL DEFAULT 0,
  fence BIGINT NOT NULL DEFAULT 0,
  failures BIGINT NOT NULL DEFAULT 0,
  UNIQUE (tenant, order_id)
)`,
      "CREATE INDEX settlekit_payouts_due ON {payouts} (tenant, due_at) WHERE final_at IS NULL",
      "CREATE INDEX settlekit_payouts_reserved ON {payouts} (tenant, reserved_at)",
      "CREATE INDEX settlekit_payouts_state ON {payouts} (tenant, state, id)",
      "CREATE INDEX settlekit_payouts_unchained ON {payouts} (tenant, id) WHERE chained = 0",
      // At most one request for each fence. It may be sent until `left_by`.
      `CREATE TABLE {payout_attempts} (
  payout_id BIGINT NOT NULL,
  fence BIGINT NOT NULL,
  started_at BIGINT NOT NULL,
  left_by BIGINT NOT NULL,
  ended_at BIGINT,
  outcome TEXT,
  withdrawal_id TEXT,
  PRIMARY KEY (payout_id, fence)
)`,
      // Append-only: each entry holds the hash of the previous one.
      `CREATE TABLE {payout_journal} (
  tenant TEXT NOT NULL,
  seq BIGINT NOT NULL,
  at BIGINT NOT NULL,
  order_id TEXT,
  event TEXT NOT NULL,
  details TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (tenant, seq)
)`,
      "CREATE INDEX settlekit_payout_journal_order ON {payout_journal} (tenant, order_id, seq)",
      // The end of each tenant's journal, and its breaker. Its lock serialises the tenant's decisions.
      `CREATE TABLE {payout_heads} (
  tenant TEXT NOT NULL PRIMARY KEY,
  seq BIGINT NOT NULL,
  hash TEXT NOT NULL,
  touched_at BIGINT NOT NULL,
  stopped_at BIGINT,
  stopped_because TEXT,
  -- Breaks of the chain up to here were accepted by reopen.
  accepted_seq BIGINT NOT NULL DEFAULT 0
)`,
    ],
    [
      // Guards the row until the journal has its first entry; null if an older version of settlekit planned it.
      "ALTER TABLE {payouts} ADD COLUMN planned_hash TEXT",
    ],
    [
      // A digest of the credential; null if an older version of settlekit began the attempt.
      "ALTER TABLE {payout_attempts} ADD COLUMN sender TEXT",
      // The merchant whose withdrawals these are, once known, and the digest of its credential at that time.
      "ALTER TABLE {payout_heads} ADD COLUMN merchant_id TEXT",
      "ALTER TABLE {payout_heads} ADD COLUMN sender TEXT",
    ],
    [
      // The creation time up to which the service's list was read; null if it never was.
      "ALTER TABLE {payout_heads} ADD COLUMN listed_to BIGINT",
      // Orders for which the list has shown a withdrawal that the ledger did not know.
      `CREATE TABLE {payout_others} (
  tenant TEXT NOT NULL,
  order_id TEXT NOT NULL,
  PRIMARY KEY (tenant, order_id)
)`,
    ],
  ],
};
