import { isNativeAssetAddress } from "../../evm/chains.ts";
import { isRecord } from "../../values.ts";
import type { Quote } from "../../wire/quote.ts";
import { randomStream } from "../random.ts";
import type { Payments } from "./payments.ts";
import { worthInCents } from "./quotes.ts";

/**
 * A JSON replacer for the newest published form of responses: CAIP-2 chain ids, `0xeeee…eeee` for native assets, lower
 * case for contracts, `isTestnet`, a deposit address in every quote, and fees, of which the sandbox charges none.
 */
export function publishedForm(payments: Payments) {
  return (name: string, value: unknown): unknown => {
    if (name === "chainId" && typeof value === "number") return `eip155:${value}`;
    if (name === "contractAddress") {
      return isNativeAssetAddress(String(value)) ? nativeContract : String(value).toLowerCase();
    }
    if (!isRecord(value)) return value;
    if ("nativeSymbol" in value) return { ...value, isTestnet: true };
    if ("expectedAmountAsset" in value) {
      const { id, paymentId, token, ...quote } = value as unknown as Quote;
      // Derived from the quote's id, so that it is the same in every response.
      const address = randomStream(id, "address").address();
      const depositAddress = { ...payments.find(paymentId)?.depositAddress, id, address };
      const price = { ...token, rateUsd: quote.rateUsdAsset };
      const amountDueCents = Number(worthInCents(BigInt(quote.expectedAmountAsset), price));
      return { ...value, amountDueCents, depositAddress };
    }
    if (!("quotes" in value)) return value;
    const { amountInCents } = value;
    const totals = { amountDueCents: amountInCents, amountMerchantNetCents: amountInCents };
    return { ...value, ...totals, ...noFees, merchantLogoUrl: null };
  };
}

const nativeContract = `0x${"e".repeat(40)}`;
const noFees = { convenienceFeeCents: 0, merchantFeeCents: 0, swapFeeCents: 0 };
