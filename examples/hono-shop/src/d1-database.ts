import type { Database, Statement } from "./database.ts";

interface Prepared {
  bind(...values: unknown[]): Prepared;
  first<Row>(): Promise<Row | null>;
}

/** The part of D1 that is used. `wrangler types` writes down all of it, if you need more. */
export interface D1 {
  prepare(sql: string): Prepared;
  batch(statements: Prepared[]): Promise<unknown>;
}

/** Cloudflare's D1, whose tables `wrangler d1 migrations apply` makes. A batch of it is a transaction. */
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
