import type { DatabaseSync } from "node:sqlite";
import type pg from "pg";
import type { Payout, PayoutInput, Payouts } from "settlekit/payouts";
import { expectTypeOf, it } from "vitest";

// Compiling is the test: `tsc` checks these, and nothing has to run.
it("a payout is planned synchronously only in a transaction on SQLite", () => {
  const onSqlite = (
    payouts: Payouts<DatabaseSync, "sync">,
    input: PayoutInput,
    tx: DatabaseSync,
    maybe: DatabaseSync | undefined,
  ) => {
    expectTypeOf(payouts.plan(input, { tx, by: "ann" })).toEqualTypeOf<Payout>();
    expectTypeOf(payouts.plan(input)).toEqualTypeOf<Promise<Payout>>();
    expectTypeOf(payouts.plan(input, { by: "ann" })).toEqualTypeOf<Promise<Payout>>();
    expectTypeOf(payouts.plan(input, { tx: undefined })).toEqualTypeOf<Promise<Payout>>();
    expectTypeOf(payouts.plan(input, { tx: maybe })).toEqualTypeOf<Payout | Promise<Payout>>();
  };
  const onPostgres = (
    payouts: Payouts<pg.PoolClient, "async">,
    input: PayoutInput,
    tx: pg.PoolClient,
  ) => {
    expectTypeOf(payouts.plan(input, { tx })).toEqualTypeOf<Promise<Payout>>();
    expectTypeOf(payouts.plan(input, { tx: undefined })).toEqualTypeOf<Promise<Payout>>();
  };
  expectTypeOf([onSqlite, onPostgres]).toBeArray();
});
