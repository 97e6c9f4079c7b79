import { chainIdSchema } from "./chain-id.ts";
import { closedObject, type Output, optional, type Same, text } from "./schema.ts";

/** A transaction to look for (interface section 4.3). */
interface RefreshStatusBody {
  transactionHash?: string;
  /** EVM chain id. */
  chainId?: number;
  tokenContractAddress?: string;
}

export const refreshStatusBodySchema = closedObject({
  transactionHash: optional(text),
  chainId: optional(chainIdSchema),
  tokenContractAddress: optional(text),
});
true satisfies Same<RefreshStatusBody, Output<typeof refreshStatusBodySchema>>;
