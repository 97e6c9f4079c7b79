import type { DatabaseSync } from "node:sqlite";
import type pg from "pg";
import { createInbox } from "settlekit/inbox";
import type { PostgresStore } from "settlekit/postgres";
import { postgres } from "settlekit/postgres";
import type { SqliteStore } from "settlekit/sqlite";
import { expect, expectTypeOf, it } from "vitest";
import type { InboxClient } from "../../src/inbox/subject.ts";
import { sqlite } from "../../src/stores/sqlite.ts";

const client = { payments: {} } as unknown as InboxClient;

it("an effect on SQLite gets the DatabaseSync, and must not be asynchronous", () => {
  const store: SqliteStore = sqlite(":memory:");
  const inbox = createInbox({ client, store });
  inbox.on("payment", "a", {}, (tx, payment) => {
    expectTypeOf(tx).toEqualTypeOf<DatabaseSync>();
    expectTypeOf(payment.status).toExtend<string>();
    return tx.prepare("SELECT 1").run();
  });
  // @ts-expect-error An await would let other work join the transaction.
  inbox.on("payment", "b", {}, async () => {});
  // @ts-expect-error So would a promise that is returned.
  inbox.on("withdrawal", "c", {}, () => Promise.resolve(1));
  const withNumber = () =>
    // @ts-expect-error A status is text.
    inbox.on("payment", "d", { states: [1] }, () => {});
  expect(withNumber).toThrow(/must be a list of at least one status/);
});

it("a task's payload has the type that is given, and none by default", () => {
  const sendMail = (orderId: string, options: { idempotencyKey: string; signal: AbortSignal }) => ({
    orderId,
    ...options,
  });
  const inbox = createInbox({ client, store: sqlite(":memory:") });
  inbox.task<{ orderId: string }>("email", async ({ orderId }, { key, signal }) => {
    expectTypeOf(key).toEqualTypeOf<string>();
    return sendMail(orderId, { idempotencyKey: key, signal });
  });
  inbox.task("note", (payload) => expectTypeOf(payload).toEqualTypeOf<unknown>());
  inbox.task<{ orderId: number }>("mail", ({ orderId }, { key, signal }) =>
    // @ts-expect-error The order's id is text.
    sendMail(orderId, { idempotencyKey: key, signal }),
  );
  inbox.task("letter", ({ orderId }: { orderId: string }) => {
    expectTypeOf(orderId).toEqualTypeOf<string>();
  });
});

it("an effect on PostgreSQL gets the pool's own client", () => {
  const pool = { connect() {}, options: {} } as unknown as pg.Pool;
  const store: PostgresStore<pg.PoolClient> = postgres(pool);
  createInbox({ client, store }).on("withdrawal", "a", { states: ["failed"] }, async (tx) => {
    expectTypeOf(tx).toEqualTypeOf<pg.PoolClient>();
    await tx.query<{ id: string }>("SELECT 1 AS id");
  });
  expect(store.mode).toBe("async");
});
