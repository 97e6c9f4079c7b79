import * as z from "zod/mini";
import type { Same } from "./schema.ts";
import { type WithdrawalStatus, withdrawalStatusSchema } from "./withdrawal.ts";

/** What `withdrawals.list` filters by (interface section 4.5). */
export interface WithdrawalListQuery {
  status?: WithdrawalStatus | undefined;
  /** Items a page, 1 to 1000; default 100. */
  limit?: number | undefined;
  /** Items to skip; default 0. */
  offset?: number | undefined;
}

export const withdrawalListQuerySchema = z.object({
  status: z.optional(withdrawalStatusSchema),
  limit: z.optional(z.int().check(z.gte(1), z.lte(1000))),
  offset: z.optional(z.int().check(z.gte(0))),
});
true satisfies Same<WithdrawalListQuery, z.output<typeof withdrawalListQuerySchema>>;
