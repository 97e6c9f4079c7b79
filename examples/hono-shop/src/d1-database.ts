import type { Database, Statement } from "./database.ts";

interface Prepared {
  bind(...values: unknown[]): Prepared;
  first<Row>(): Promise<Row | null>;
}

/** The part of D1 that the shop uses. `wrangler types` generates the full type. */
export interface D1 {
  prepare(sql: string): Prepared;
  batch(statements: Prepared[]): Promise<unknown>;
}

/** Cloudflare's D1. `wrangler d1 migrations apply` creates the tables; a batch is a transaction. */
export function openD1(d1: D1): Database {
  const prepared = ({ sql, parameters = [] }: Statement) => d1.prepare(sql).bind(...parameters);
  return {
    first: async (statement) =>
      (await prepared(statement).first<Record<string, unknown>>()) ?? undefined,
    async write(statements) {
      await d1.batch(statements.map(prepared));
    },
  };
}
