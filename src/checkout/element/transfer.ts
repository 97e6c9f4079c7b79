import { isNativeAsset } from "../../evm/chains.ts";
import { toUnits } from "../../evm/units.ts";
import type { Offer } from "./state.ts";

/** The parameters of `eth_sendTransaction`; amounts are hexadecimal. */
export interface Transaction {
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly data?: string;
  /** A wallet that has switched to another chain refuses. */
  readonly chainId: string;
}

/** The selector of ERC-20's `transfer(address,uint256)`. */
const transferSelector = "0xa9059cbb";

/** Exactly the transfer that an offer shows: its address, amount, token and chain. */
export function transactionFor(
  { quote, request }: Pick<Offer, "quote" | "request">,
  from: string,
): Transaction {
  const units = toUnits(request.amountUnits);
  const chainId = hexadecimal(request.chainId);
  if (isNativeAsset(quote.token)) {
    return { from, to: request.address, value: hexadecimal(units), chainId };
  }
  const words = [request.address.slice(2).toLowerCase(), units.toString(16)];
  const data = transferSelector + words.map((word) => word.padStart(64, "0")).join("");
  return { from, to: quote.token.contractAddress, value: "0x0", data, chainId };
}

/** A quantity in JSON-RPC's encoding. */
export function hexadecimal(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}
