import { isNativeAssetAddress } from "../../evm/chains.ts";
import { isRecord } from "../../values.ts";
import { randomStream } from "../random.ts";
import type { Payments } from "./payments.ts";

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
      const id = String(value.id);
      const payment = payments.find(String(value.paymentId));
      // Derived from the quote's id, so that it is the same in every response.
      const address = randomStream(id, "address").address();
      const depositAddress = { ...payment?.depositAddress, id, address };
      return { ...value, amountDueCents: payment?.amountInCents, depositAddress };
    }
    if (!("quotes" in value)) return value;
    const { amountInCents } = value;
    const totals = { amountDueCents: amountInCents, amountMerchantNetCents: amountInCents };
    return { ...value, ...totals, ...noFees, merchantLogoUrl: null };
  };
}

const nativeContract = `0x${"e".repeat(40)}`;
const noFees = { convenienceFeeCents: 0, merchantFeeCents: 0, swapFeeCents: 0 };
