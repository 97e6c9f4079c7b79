import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const examples = resolve(import.meta.dirname, "../../examples");

/** Every example can be copied on its own, so each contains a copy of the files that it shares with others. */
const copies: Readonly<Record<string, readonly string[]>> = {
  "catalogue.ts": [
    "express-shop/src",
    "fastify-shop/src",
    "hono-shop/src",
    "next-shop/shop",
    "own-checkout/src",
  ],
  "environment.ts": ["express-shop/src", "fastify-shop/src", "hono-shop/src"],
  "orders.ts": ["express-shop/src", "fastify-shop/src", "next-shop/shop", "reconciliation-job/src"],
  "pages.ts": ["express-shop/src", "fastify-shop/src", "hono-shop/src"],
  "receive-payments.ts": [
    "express-shop/src",
    "fastify-shop/src",
    "next-shop/shop",
    "own-checkout/src",
  ],
  "reconcile.ts": ["webhooks", "reconciliation-job/src"],
  "start-payment.ts": ["express-shop/src", "fastify-shop/src", "next-shop/shop"],
};

test.each(Object.entries(copies))("every copy of %s is the same", async (name, folders) => {
  const texts = folders.map((folder) => readFile(join(examples, folder, name), "utf8"));
  expect(new Set(await Promise.all(texts)).size).toBe(1);
});

test("every example has a README, and is in the list of examples", async () => {
  const list = await readFile(join(examples, "README.md"), "utf8");
  const names = [...list.matchAll(/^\| \[`([\w-]+)`\]\(\1\/README\.md\)/gm)].map(
    ([, name = ""]) => name,
  );
  expect(names).toHaveLength(11);
  for (const name of names) expect(existsSync(join(examples, name, "README.md"))).toBe(true);
});
