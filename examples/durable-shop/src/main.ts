import { openPostgres } from "./postgres-database.ts";
import { openShop } from "./shop.ts";
import { openSqlite } from "./sqlite-database.ts";

const {
  DATABASE_URL,
  DATABASE_FILE = "shop.sqlite",
  HOST = "127.0.0.1",
  PORT = "3000",
} = process.env;

const shop = DATABASE_URL
  ? await openShop(openPostgres(DATABASE_URL), HOST, Number(PORT))
  : await openShop(openSqlite(DATABASE_FILE), HOST, Number(PORT));

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => shop.close());
}
