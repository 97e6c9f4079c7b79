import { chainIdSchema } from "./chain-id.ts";
import { closedObject, type Output, optional, type Same, text, wholeNumber } from "./schema.ts";

/** Which quote to make (interface section 4.3). Without chain and contract, a default one. */
export interface CreateQuoteBody {
  /** EVM chain id. */
  chainId?: number;
  /** The token's contract; the all-zero address for the chain's native asset. */
  contractAddress?: string;
  /** USD cents, at least 1. For deposits only. */
  forceDepositAmount?: number;
}

export const createQuoteBodySchema = closedObject({
  chainId: optional(chainIdSchema),
  contractAddress: optional(text),
  forceDepositAmount: optional(wholeNumber(1)),
});
true satisfies Same<CreateQuoteBody, Output<typeof createQuoteBodySchema>>;
