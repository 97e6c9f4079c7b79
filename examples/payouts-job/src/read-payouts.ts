import { readFileSync } from "node:fs";
import { toRecipientAddress, usdToCents } from "settlekit";

/** A payout that is due. */
export interface DuePayout {
  /** Identifies the payout permanently: one payout per order id. */
  readonly orderId: string;
  /** USD cents. */
  readonly amountInCents: number;
  /** EVM chain id. */
  readonly chainId: number;
  readonly recipientAddress: string;
}

/** Validates the whole list before the first payout, so that an invalid entry cannot stop a run halfway. */
export function readPayouts(file: string): DuePayout[] {
  const rows: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (!Array.isArray(rows)) throw new Error(`${file} must contain an array of payouts.`);
  const payouts = rows.map((row, index) => {
    try {
      return payoutFrom(row);
    } catch (error) {
      throw new Error(`Payout ${index + 1} of ${file}: ${(error as Error).message}`, {
        cause: error,
      });
    }
  });
  const ids = new Set(payouts.map(({ orderId }) => orderId));
  if (ids.size < payouts.length) throw new Error(`${file} has two payouts with the same orderId.`);
  return payouts;
}

function payoutFrom({ orderId, amount, chainId, recipientAddress }: Record<string, unknown>) {
  if (typeof orderId !== "string" || orderId === "")
    throw new Error("orderId must be a non-empty string.");
  if (typeof chainId !== "number") throw new Error("chainId must be a number.");
  return {
    orderId,
    // Exact; throws rather than rounds.
    amountInCents: usdToCents(String(amount)),
    chainId,
    // Throws for a wrong checksum, and for addresses that cannot be a recipient.
    recipientAddress: toRecipientAddress(String(recipientAddress)),
  };
}
