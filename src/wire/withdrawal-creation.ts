import { chainIdSchema } from "./chain-id.ts";
import {
  closedObject,
  number,
  type Output,
  oneOf,
  optional,
  type Same,
  text,
  textOfLength,
} from "./schema.ts";

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

export const createWithdrawalBodySchema = closedObject({
  amountInCents: number,
  chainId: chainIdSchema,
  recipientAddress: text,
  orderId: optional(textOfLength(0, maxOrderIdLength)),
  currency: optional(oneOf("USD")),
  customMetadata: optional(textOfLength(0, maxMetadataLength)),
});
true satisfies Same<CreateWithdrawalBody, Output<typeof createWithdrawalBodySchema>>;
