import * as z from "zod/mini";
import { type OpenEnum, openEnum } from "./open-enum.ts";
import { openObject, type Same } from "./schema.ts";

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
  id: z.string(),
  paymentId: z.string(),
  type: openEnum("EVM"),
  address: z.string(),
  createdAt: z.string(),
});
true satisfies Same<DepositAddress, z.output<typeof depositAddressSchema>>;
