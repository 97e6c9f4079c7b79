import type { Component } from "../stores/store.ts";

/** The columns of every claimable table. A lease and its fencing token belong to one claim. */
const claimable = `
  due_at BIGINT NOT NULL,
  lease_until BIGINT NOT NULL DEFAULT 0,
  fence BIGINT NOT NULL DEFAULT 0,
  starts BIGINT NOT NULL DEFAULT 0,
  failures BIGINT NOT NULL DEFAULT 0,
  parked_at BIGINT,
  problem TEXT`;

export const inboxTables: Component = {
  name: "inbox",
  migrations: [
    [
      // A payment or a withdrawal. It has unsettled changes while `news`, which webhooks increment, exceeds `seen`.
      `CREATE TABLE {inbox_subjects} (
  id {serial},
  tenant TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- 1 where a webhook gave only an orderId.
  by_order BIGINT NOT NULL DEFAULT 0,
  subject TEXT NOT NULL,
  news BIGINT NOT NULL,
  seen BIGINT NOT NULL DEFAULT 0,
  signed_rank BIGINT NOT NULL DEFAULT 0,
  told_at BIGINT,
  changed_at BIGINT NOT NULL,
  status TEXT,
  status_at BIGINT,
  settled_at BIGINT,${claimable},
  UNIQUE (tenant, kind, by_order, subject)
)`,
      "CREATE INDEX settlekit_inbox_due ON {inbox_subjects} (due_at) WHERE news > seen AND parked_at IS NULL",
      "CREATE INDEX settlekit_inbox_settled ON {inbox_subjects} (settled_at)",
      "CREATE INDEX settlekit_inbox_parked ON {inbox_subjects} (parked_at) WHERE parked_at IS NOT NULL",
      `CREATE TABLE {inbox_deliveries} (
  id {serial},
  tenant TEXT NOT NULL,
  delivery_key TEXT NOT NULL,
  event TEXT NOT NULL,
  kind TEXT,
  subject TEXT,
  order_id TEXT,
  status TEXT,
  signed_at BIGINT NOT NULL,
  received_at BIGINT NOT NULL,
  UNIQUE (tenant, delivery_key)
)`,
      "CREATE INDEX settlekit_inbox_received ON {inbox_deliveries} (received_at)",
      `CREATE TABLE {inbox_effects} (
  subject_id BIGINT NOT NULL,
  effect TEXT NOT NULL,
  state TEXT NOT NULL,
  done_at BIGINT NOT NULL,
  PRIMARY KEY (subject_id, effect, state)
)`,
      `CREATE TABLE {inbox_registrations} (
  kind TEXT NOT NULL,
  effect TEXT NOT NULL,
  since BIGINT NOT NULL,
  PRIMARY KEY (kind, effect)
)`,
      `CREATE TABLE {inbox_tasks} (
  id {serial},
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  task_key TEXT NOT NULL UNIQUE,
  payload TEXT NOT NULL,
  created_at BIGINT NOT NULL,${claimable}
)`,
      "CREATE INDEX settlekit_inbox_tasks_due ON {inbox_tasks} (due_at) WHERE parked_at IS NULL",
      `CREATE TABLE {inbox_watermarks} (
  tenant TEXT NOT NULL,
  kind TEXT NOT NULL,
  watermark BIGINT NOT NULL,
  due_at BIGINT NOT NULL DEFAULT 0,
  missed BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, kind)
)`,
    ],
    [
      // The W3C trace contexts that led to a row, newest first; null unless the inbox is instrumented.
      "ALTER TABLE {inbox_subjects} ADD COLUMN causes TEXT",
      "ALTER TABLE {inbox_tasks} ADD COLUMN causes TEXT",
    ],
  ],
};
