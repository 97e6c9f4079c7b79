import * as z from "zod/mini";
import {
  evmChainIdSchema,
  identifier,
  nullish,
  type OpenEnum,
  openEnum,
  openObject,
  optional,
  optionalText,
  type Same,
  textOfLength,
  timestamp,
} from "./fields.ts";
import { type PageQuery, pageQuery } from "./pagination.ts";
import { type WithdrawalReceipt, withdrawalReceiptSchema } from "./receipt.ts";
import { type Token, tokenSchema } from "./token.ts";

/** The status of a withdrawal (interface section 3.2). */
export type WithdrawalStatus = OpenEnum<
  "pending" | "processing" | "completed" | "failed" | "cancelled"
>;

export const withdrawalStatusSchema = openEnum(
  "pending",
  "processing",
  "completed",
  "failed",
  "cancelled",
);
true satisfies Same<WithdrawalStatus, z.output<typeof withdrawalStatusSchema>>;

/** Crypto sent to a recipient (interface section 2.5). */
export interface Withdrawal {
  id: string;
  merchantId: string;
  /** USD cents. */
  amountInCents: number;
  /** EVM chain id used for settlement. */
  chainId: number;
  /** The recipient's wallet address. */
  recipientAddress: string;
  /** The withdrawal's current status. */
  status: WithdrawalStatus;
  /** `USD`. */
  currency: string;
  /** The merchant's own reference, if one was given. */
  orderId?: string | null;
  /** JSON as a string, if any was given. */
  customMetadata?: string | null;
  /** The reason for a failure. In lists, only failed withdrawals have it. */
  errorMessage?: string | null;
  /** Null until it is completed. In lists, only completed withdrawals have it. */
  receipt?: WithdrawalReceipt | null;
  /** ISO 8601, UTC. */
  createdAt: string;
  /** Time of the last change: ISO 8601, UTC. */
  updatedAt: string;
}

export const withdrawalSchema = openObject({
  id: identifier,
  merchantId: identifier,
  amountInCents: z.number(),
  chainId: evmChainIdSchema,
  recipientAddress: z.string(),
  status: withdrawalStatusSchema,
  currency: z.string(),
  orderId: optionalText,
  customMetadata: optionalText,
  errorMessage: optionalText,
  receipt: nullish(withdrawalReceiptSchema),
  createdAt: timestamp,
  updatedAt: timestamp,
});
true satisfies Same<Withdrawal, z.output<typeof withdrawalSchema>>;

/** The longest `orderId` of a withdrawal, in characters (interface section 8). */
export const maxOrderIdLength = 255;

/** The longest `customMetadata` of a withdrawal, in characters (interface section 8). */
export const maxMetadataLength = 2048;

/** The body of a withdrawal request on the wire (interface section 4.4). */
export interface CreateWithdrawalBody {
  /** USD cents. */
  amountInCents: number;
  /** An EVM chain, such as 8453. */
  chainId: number;
  recipientAddress: string;
  orderId?: string;
  currency?: "USD";
  /** A JSON document encoded as a string. */
  customMetadata?: string;
}

export const createWithdrawalBodySchema = z.object({
  amountInCents: z.number(),
  chainId: evmChainIdSchema,
  recipientAddress: z.string(),
  orderId: optional(textOfLength(0, maxOrderIdLength)),
  currency: optional(z.literal("USD")),
  customMetadata: optional(textOfLength(0, maxMetadataLength)),
});
true satisfies Same<CreateWithdrawalBody, z.output<typeof createWithdrawalBodySchema>>;

/** The filters of `withdrawals.list` (interface section 4.5). */
export interface WithdrawalListQuery extends PageQuery {
  status?: WithdrawalStatus | undefined;
}

export const withdrawalListQuerySchema = pageQuery({
  status: z.optional(withdrawalStatusSchema),
});
true satisfies Same<WithdrawalListQuery, z.output<typeof withdrawalListQuerySchema>>;

/** The withdrawals that the merchant can make (interface section 4.6). */
export interface WithdrawalConfig {
  /** The address that the service sends from. */
  backendWallet: string;
  /** Tokens, with their chains, that can be sent. */
  supported: Token[];
  /** The limits for one withdrawal. */
  limits: WithdrawalLimits;
}

/** The limits for one withdrawal. */
export interface WithdrawalLimits {
  /** USD cents. */
  minAmountInCents: number;
  /** USD cents. */
  maxAmountInCents: number;
}

export const withdrawalLimitsSchema = openObject({
  minAmountInCents: z.number(),
  maxAmountInCents: z.number(),
});
true satisfies Same<WithdrawalLimits, z.output<typeof withdrawalLimitsSchema>>;

export const withdrawalConfigSchema = openObject({
  backendWallet: z.string(),
  supported: z.array(tokenSchema),
  limits: withdrawalLimitsSchema,
});
true satisfies Same<WithdrawalConfig, z.output<typeof withdrawalConfigSchema>>;
