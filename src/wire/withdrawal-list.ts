import { type Output, queryOf, type Same, wholeNumber } from "./schema.ts";
import { type WithdrawalStatus, withdrawalStatusSchema } from "./withdrawal.ts";

/** What `withdrawals.list` filters by (interface section 4.5). */
export interface WithdrawalListQuery {
  status?: WithdrawalStatus | undefined;
  /** Items a page, 1 to 1000; default 100. */
  limit?: number | undefined;
  /** Items to skip; default 0. */
  offset?: number | undefined;
}

export const withdrawalListQuerySchema = queryOf({
  status: withdrawalStatusSchema,
  limit: wholeNumber(1, 1000),
  offset: wholeNumber(0),
});
true satisfies Same<WithdrawalListQuery, Output<typeof withdrawalListQuerySchema>>;
