// Finds payments whose webhook never arrived. Run it every few minutes beside the shop.

import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { MerchantClient } from "settlekit";
import { reconcileShop } from "./reconcile-shop.ts";

const { DATABASE_FILE = "shop.sqlite", LOOK_BACK_DAYS = "3" } = process.env;
const days = Number(LOOK_BACK_DAYS);
if (!(days > 0)) throw new Error("LOOK_BACK_DAYS must be a number above 0.");

// With this mode, a wrong path is an error. Otherwise, SQLite would create an empty database, without any orders.
const file = pathToFileURL(DATABASE_FILE);
file.search = "mode=rw";

const paid = await reconcileShop({
  client: new MerchantClient({ logger: { warn: console.warn, error: console.error } }),
  database: new DatabaseSync(file),
  since: new Date(Date.now() - days * 24 * 60 * 60_000),
});
for (const id of paid) console.log(`${id} is paid; its webhook never arrived`);
console.log(`Found ${paid.length} paid orders`);
