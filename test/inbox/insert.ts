/** Inserts a row in an effect's transaction, on either database. */
export function insert(tx: unknown, table: string, ...values: (string | null)[]): unknown {
  const list = values.map((value) => (value === null ? "NULL" : `'${value}'`)).join(", ");
  const text = `INSERT INTO ${table} VALUES (${list})`;
  const client = tx as { exec?(text: string): void; query?(text: string): Promise<unknown> };
  return client.exec ? client.exec(text) : client.query?.(text);
}
