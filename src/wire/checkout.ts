import { chainIdSchema } from "./chain-id.ts";
import { type PaymentStatus, paymentStatusSchema } from "./payment-status.ts";
import {
  closedObject,
  type Output,
  openObject,
  optional,
  type Same,
  text,
  wholeNumber,
} from "./schema.ts";

/** A payment's status alone (interface section 4.3). */
export interface PaymentState {
  /** Payment id. */
  id: string;
  status: PaymentStatus;
}

export const paymentStateSchema = openObject({
  id: text,
  status: paymentStatusSchema,
});
true satisfies Same<PaymentState, Output<typeof paymentStateSchema>>;

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
