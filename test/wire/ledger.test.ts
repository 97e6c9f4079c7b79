import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { depositAddressSchema } from "../../src/wire/deposit-address.ts";
import * as operations from "../../src/wire/operations.ts";
import { paginationSchema } from "../../src/wire/pagination.ts";
import { paymentSchema } from "../../src/wire/payment.ts";
import { createdPaymentSchema, createPaymentBodySchema } from "../../src/wire/payment-creation.ts";
import { paymentListQuerySchema } from "../../src/wire/payment-list.ts";
import { paymentReceiptSchema } from "../../src/wire/payment-receipt.ts";
import { paymentStateSchema } from "../../src/wire/payment-state.ts";
import { quoteSchema } from "../../src/wire/quote.ts";
import { createQuoteBodySchema } from "../../src/wire/quote-creation.ts";
import type { Schema } from "../../src/wire/schema.ts";
import { settledChainSchema, settledTokenSchema } from "../../src/wire/settlement.ts";
import { refreshStatusBodySchema } from "../../src/wire/status-refresh.ts";
import { tokenChainSchema, tokenSchema } from "../../src/wire/token.ts";
import { paymentEventDataSchema, withdrawalEventDataSchema } from "../../src/wire/webhook-event.ts";
import { withdrawalReceiptSchema, withdrawalSchema } from "../../src/wire/withdrawal.ts";
import {
  withdrawalConfigSchema,
  withdrawalLimitsSchema,
} from "../../src/wire/withdrawal-config.ts";
import { createWithdrawalBodySchema } from "../../src/wire/withdrawal-creation.ts";
import { withdrawalListQuerySchema } from "../../src/wire/withdrawal-list.ts";

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

/** The rows of the ledger's tables, with what stands in backticks in their first cell. */
function readRows(ledger: string): Row[] {
  let section = "";
  const found: Row[] = [];
  for (const line of ledger.split("\n")) {
    if (line.startsWith("## ")) section = line.slice(3);
    if (!/^\| (?!Operation|Field|Belief)/.test(line)) continue;
    const [, first = ""] = line.split("|");
    found.push({
      section,
      names: [...first.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
      text: line,
    });
  }
  return found;
}

const schemas: [string, Schema<unknown>][] = [
  ["Payment", paymentSchema],
  ["Payment receipt", paymentReceiptSchema],
  ["Deposit address", depositAddressSchema],
  ["Quote", quoteSchema],
  ["Token", tokenSchema],
  ["Token chain", tokenChainSchema],
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
  ["Quote creation", createQuoteBodySchema],
  ["Status refresh", refreshStatusBodySchema],
  ["Pagination", paginationSchema],
  ["Payment event data", paymentEventDataSchema],
  ["Withdrawal event data", withdrawalEventDataSchema],
];

describe("the ledger", () => {
  test.each(Object.values(operations))("has a row for $name with its request", (operation) => {
    const row = rows.find(
      ({ section, names }) => section === "Operations" && names[0] === operation.name,
    );
    expect(row?.text).toContain(`\`${operation.method} ${operation.path}\``);
  });

  test.each(schemas)("has a row for every field of: %s", (section, schema) => {
    const named = rows.filter((row) => row.section === section).flatMap(({ names }) => names);
    const fields = schema.form.kind === "object" ? schema.form.fields : [];
    expect(fields).not.toEqual([]);
    expect(fields.filter(({ name }) => !named.includes(name))).toEqual([]);
  });

  test("names the evidence of every belief", () => {
    expect(rows.length).toBeGreaterThan(50);
    for (const { text } of rows) expect(text).toMatch(/\| [^|]*(documented \(|published|assumed)/);
  });

  test("says of every belief what happens if it is wrong", () => {
    for (const { text } of rows) expect(text).toMatch(/\| [^|]{3,} \|$/);
  });

  test("is read whole: a field without a row is missed", () => {
    const without = readRows(
      "## Payment\n| Field | Evidence | Wrong |\n|---|---|---|\n| `id` | assumed | Drift |",
    );
    expect(without).toEqual([
      { section: "Payment", names: ["id"], text: "| `id` | assumed | Drift |" },
    ]);
  });
});
