import * as z from "zod/mini";
import { chainIdSchema } from "./chain-id.ts";
import type { Same } from "./schema.ts";

/** The longest `orderId` of a withdrawal, in characters (interface section 8). */
export const maxOrderIdLength = 255;

/** The longest `customMetadata` of a withdrawal, in characters (interface section 8). */
export const maxMetadataLength = 2048;

/** The body of a withdrawal request on the wire (interface section 4.4). */
export interface CreateWithdrawalBody {
  /** USD cents. */
  amountInCents: number;
  /** A number, or CAIP-2 text where the client is configured so. */
  chainId: number;
  recipientAddress: string;
  orderId?: string;
  currency?: "USD";
  /** A JSON document encoded as a string. */
  customMetadata?: string;
}

export const createWithdrawalBodySchema = z.object({
  amountInCents: z.number(),
  chainId: chainIdSchema,
  recipientAddress: z.string(),
  orderId: z.exactOptional(z.string().check(z.maxLength(maxOrderIdLength))),
  currency: z.exactOptional(z.literal("USD")),
  customMetadata: z.exactOptional(z.string().check(z.maxLength(maxMetadataLength))),
});
true satisfies Same<CreateWithdrawalBody, z.output<typeof createWithdrawalBodySchema>>;
