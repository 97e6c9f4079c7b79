import type { Withdrawal } from "../wire/withdrawal.ts";
import type { SentWithdrawal } from "./create-withdrawal.ts";

/**
 * The fields in which a withdrawal differs from what was asked for, compared by meaning: addresses
 * without case, chain ids in either form, metadata as parsed JSON, and what is missing as its default.
 */
export function withdrawalDifferences(asked: SentWithdrawal, found: Withdrawal): string[] {
  const a = canonical(asked);
  const b = canonical(found);
  return Object.keys(a).filter((field) => a[field] !== b[field]);
}

function canonical(withdrawal: SentWithdrawal | Withdrawal): Record<string, unknown> {
  const { amountInCents, chainId, recipientAddress, currency, customMetadata } = withdrawal;
  return {
    amountInCents: Number(amountInCents),
    chainId: String(chainId).replace(/^eip155:/, ""),
    recipientAddress: String(recipientAddress).toLowerCase(),
    currency: currency ?? "USD",
    customMetadata: canonicalJson(customMetadata ?? null),
  };
}

/** JSON text with its keys in order; text that is no JSON stays as it is. */
function canonicalJson(text: string | null): string | null {
  if (text === null) return null;
  try {
    return JSON.stringify(JSON.parse(text), (_, value: unknown) => sortedKeys(value));
  } catch {
    return text;
  }
}

function sortedKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
