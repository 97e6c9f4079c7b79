/** A value that both SQLite and D1 accept. */
type Value = string | number | null;

/** SQL with its parameters, written as ?1, ?2 and so on. */
export interface Statement {
  readonly sql: string;
  readonly parameters?: readonly Value[];
}

/** What the shop needs from a database: implemented by SQLite on Node and by D1 on Workers. */
export interface Database {
  first(statement: Statement): Promise<Record<string, unknown> | undefined>;
  /** Runs the statements in one transaction. */
  write(statements: readonly Statement[]): Promise<void>;
}
