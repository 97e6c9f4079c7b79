/** A value that SQLite and D1 take. */
type Value = string | number | null;

/** SQL with its parameters, written as ?1, ?2 and so on. */
export interface Statement {
  readonly sql: string;
  readonly parameters?: readonly Value[];
}

/** What the shop needs of its database. D1 is one already; SQLite on Node becomes one. */
export interface Database {
  first(statement: Statement): Promise<Record<string, unknown> | undefined>;
  /** Runs all of them, or none. */
  write(statements: readonly Statement[]): Promise<void>;
}
