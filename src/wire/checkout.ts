import * as z from "zod/mini";
import { chainIdSchema } from "./chain-id.ts";
import { type PaymentStatus, paymentStatusSchema } from "./payment-status.ts";
import { openObject, type Same } from "./schema.ts";

/** A payment's status alone (interface section 4.3). */
export interface PaymentState {
  /** Payment id. */
  id: string;
  status: PaymentStatus;
}

export const paymentStateSchema = openObject({
  id: z.string(),
  status: paymentStatusSchema,
});
true satisfies Same<PaymentState, z.output<typeof paymentStateSchema>>;

/** Which quote to make (interface section 4.3). Without chain and contract, a default one. */
export interface CreateQuoteBody {
  /** EVM chain id. */
  chainId?: number;
  /** The token's contract; the all-zero address for the chain's native asset. */
  contractAddress?: string;
  /** USD cents, at least 1. For deposits only. */
  forceDepositAmount?: number;
}

export const createQuoteBodySchema = z.object({
  chainId: z.exactOptional(chainIdSchema),
  contractAddress: z.exactOptional(z.string()),
  forceDepositAmount: z.exactOptional(z.int().check(z.gte(1))),
});
true satisfies Same<CreateQuoteBody, z.output<typeof createQuoteBodySchema>>;

/** A transaction to look for (interface section 4.3). */
interface RefreshStatusBody {
  transactionHash?: string;
  /** EVM chain id. */
  chainId?: number;
  tokenContractAddress?: string;
}

export const refreshStatusBodySchema = z.object({
  transactionHash: z.exactOptional(z.string()),
  chainId: z.exactOptional(chainIdSchema),
  tokenContractAddress: z.exactOptional(z.string()),
});
true satisfies Same<RefreshStatusBody, z.output<typeof refreshStatusBodySchema>>;
