import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { Orders } from "../../examples/express-shop/src/orders.ts";
import { fromSource } from "./example.ts";
import { scratchFolder } from "./scratch-folder.ts";

const program = join(import.meta.dirname, "settle-orders.ts");
const orderCount = 1_500;

/** Settles two payments of every order in two processes, each order in both at the same moment. */
async function settleTwice(shop: string, databaseFile: string): Promise<void> {
  const processes = ["a", "b"].map((suffix) => {
    const parameters = ["--import", fromSource, program, shop, databaseFile, suffix];
    const child = spawn(process.execPath, parameters, { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    return { child, lines, exited: once(child, "exit") };
  });
  for (let i = 0; i < orderCount; i++) {
    for (const { child } of processes) child.stdin.write(`order_${i}\n`);
    const settled = await Promise.all(processes.map(({ lines }) => lines.next()));
    expect(settled.map(({ value }) => value)).toEqual([`order_${i}`, `order_${i}`]);
  }
  for (const { child, exited } of processes) {
    child.stdin.end();
    expect(await exited).toEqual([0, null]);
  }
}

describe.concurrent("two payments of one order, settled in two processes", {
  timeout: 300_000,
}, () => {
  it.each(["express-shop", "hono-shop"])("ship it once: %s", async (shop) => {
    await using scratch = await scratchFolder();
    const file = join(scratch.path, "shop.sqlite");
    using database = new DatabaseSync(file);
    // Creates the tables, which are the same in every shop.
    new Orders(database);
    const insert = database.prepare(
      "INSERT INTO orders (id, product, amount_in_cents, created_at) VALUES (?, 'Mug', 2500, '')",
    );
    database.exec("BEGIN");
    for (let i = 0; i < orderCount; i++) insert.run(`order_${i}`);
    database.exec("COMMIT");

    await settleTwice(shop, file);

    const shipped = database
      .prepare("SELECT order_id, payment_id FROM effects WHERE state = 'paid' ORDER BY order_id")
      .all();
    const linked = database
      .prepare("SELECT id AS order_id, payment_id FROM orders WHERE state = 'paid' ORDER BY id")
      .all();
    expect(shipped).toHaveLength(orderCount);
    expect(shipped).toEqual(linked);
    const winners = new Set(shipped.map(({ payment_id }) => String(payment_id).at(-1)));
    // Each process was sometimes the first.
    expect([...winners].sort()).toEqual(["a", "b"]);
  });
});
