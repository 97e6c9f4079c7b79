import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import type { ZodMiniObject } from "zod/mini";
import { operationTable } from "../../src/wire/operations.ts";
import { paginationSchema } from "../../src/wire/pagination.ts";
import {
  createdPaymentSchema,
  createPaymentBodySchema,
  paymentListQuerySchema,
  paymentSchema,
  paymentStateSchema,
  refreshStatusInputSchema,
} from "../../src/wire/payment.ts";
import { createQuoteInputSchema, depositAddressSchema, quoteSchema } from "../../src/wire/quote.ts";
import { paymentReceiptSchema, withdrawalReceiptSchema } from "../../src/wire/receipt.ts";
import {
  chainListQuerySchema,
  settledChainSchema,
  settledTokenSchema,
  tokenBalanceSchema,
  tokenChainSchema,
  tokenListQuerySchema,
  tokenSchema,
  walletBalancesSchema,
} from "../../src/wire/token.ts";
import { paymentEventDataSchema, withdrawalEventDataSchema } from "../../src/wire/webhook-event.ts";
import {
  createWithdrawalBodySchema,
  withdrawalConfigSchema,
  withdrawalLimitsSchema,
  withdrawalListQuerySchema,
  withdrawalSchema,
} from "../../src/wire/withdrawal.ts";

interface Row {
  readonly section: string;
  readonly names: readonly string[];
  readonly text: string;
}

let rows: Row[];

beforeAll(async () => {
  const ledger = await readFile(new URL("../../docs/wire.md", import.meta.url), "utf8");
  rows = readRows(ledger);
});

/** The rows of the ledger's tables, with the names in backticks in their first cells. */
function readRows(ledger: string): Row[] {
  let section = "";
  const found: Row[] = [];
  for (const line of ledger.split("\n")) {
    if (line.startsWith("## ")) section = line.slice(3);
    if (!/^\| (?!Operation|Field|Belief|---)/.test(line)) continue;
    const [, first = ""] = line.split("|");
    found.push({
      section,
      names: [...first.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
      text: line,
    });
  }
  return found;
}

const schemas: [string, ZodMiniObject][] = [
  ["Payment", paymentSchema],
  ["Payment receipt", paymentReceiptSchema],
  ["Deposit address", depositAddressSchema],
  ["Quote", quoteSchema],
  ["Token", tokenSchema],
  ["Token chain", tokenChainSchema],
  ["Chain list", chainListQuerySchema],
  ["Token list", tokenListQuerySchema],
  ["Token balance", tokenBalanceSchema],
  ["Wallet balances", walletBalancesSchema],
  ["Payment creation", createPaymentBodySchema],
  ["Created payment", createdPaymentSchema],
  ["Payment list", paymentListQuerySchema],
  ["Settled token", settledTokenSchema],
  ["Settled chain", settledChainSchema],
  ["Withdrawal", withdrawalSchema],
  ["Withdrawal receipt", withdrawalReceiptSchema],
  ["Withdrawal creation", createWithdrawalBodySchema],
  ["Withdrawal list", withdrawalListQuerySchema],
  ["Withdrawal config", withdrawalConfigSchema],
  ["Withdrawal limits", withdrawalLimitsSchema],
  ["Payment state", paymentStateSchema],
  ["Quote creation", createQuoteInputSchema],
  ["Status refresh", refreshStatusInputSchema],
  ["Pagination", paginationSchema],
  ["Payment event data", paymentEventDataSchema],
  ["Withdrawal event data", withdrawalEventDataSchema],
];

describe("the ledger", () => {
  test.each(Object.values(operationTable))("has a row for $name with its request", (operation) => {
    const row = rows.find(
      ({ section, names }) => section === "Operations" && names[0] === operation.name,
    );
    expect(row?.text).toContain(`\`${operation.method} ${operation.path}\``);
  });

  test.each(schemas)("has a row for every field of: %s", (section, schema) => {
    const named = rows.filter((row) => row.section === section).flatMap(({ names }) => names);
    const fields = Object.keys(schema.shape);
    expect(fields).not.toEqual([]);
    expect(fields.filter((field) => !named.includes(field))).toEqual([]);
  });

  test("names the evidence of every belief", () => {
    expect(rows.length).toBeGreaterThan(50);
    for (const { text } of rows) expect(text).toMatch(/\| [^|]*(documented \(|published|assumed)/);
  });

  test("says what happens if a belief is wrong", () => {
    for (const { text } of rows) expect(text).toMatch(/\| [^|]{3,} \|$/);
  });

  test("is parsed into rows with their section and names", () => {
    const without = readRows(
      "## Payment\n| Field | Evidence | Wrong |\n|---|---|---|\n| `id` | assumed | Drift |",
    );
    expect(without).toEqual([
      { section: "Payment", names: ["id"], text: "| `id` | assumed | Drift |" },
    ]);
  });
});
