import { type OpenEnum, openEnum } from "./open-enum.ts";
import { type Output, openObject, type Same, text } from "./schema.ts";

/** The address that a customer pays to (interface section 2.2). */
export interface DepositAddress {
  id: string;
  paymentId: string;
  type: OpenEnum<"EVM">;
  /** Hex wallet address, `0x` and 40 digits. */
  address: string;
  /** ISO 8601, UTC. */
  createdAt: string;
}

export const depositAddressSchema = openObject({
  id: text,
  paymentId: text,
  type: openEnum("EVM"),
  address: text,
  createdAt: text,
});
true satisfies Same<DepositAddress, Output<typeof depositAddressSchema>>;
