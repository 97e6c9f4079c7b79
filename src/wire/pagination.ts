import * as z from "zod/mini";
import { openObject, type Same, wholeNumber } from "./fields.ts";

/** A page's position in its list (interface section 2.7). */
export interface Pagination {
  /** Items in the whole list. */
  total: number;
  /** Requested number of items per page. */
  limit: number;
  /** Items skipped before this page. */
  offset: number;
  /** Whether items follow this page. */
  hasMore: boolean;
  /** Number of pages of this size in the list. */
  totalPages: number;
  /** This page's number. */
  currentPage: number;
}

export const paginationSchema = openObject({
  total: z.number(),
  limit: z.number(),
  offset: z.number(),
  hasMore: z.boolean(),
  totalPages: z.number(),
  currentPage: z.number(),
});
true satisfies Same<Pagination, z.output<typeof paginationSchema>>;

/** Selects the part of a list to read. */
export interface PageQuery {
  /** Items per page, 1 to 1000; default 100. */
  limit?: number | undefined;
  /** Items to skip; default 0. */
  offset?: number | undefined;
}

/** The query of a list. */
// @__NO_SIDE_EFFECTS__
export function pageQuery<const Filters extends z.core.$ZodShape>(filters: Filters) {
  return z.strictObject({
    ...filters,
    limit: z.optional(wholeNumber(1, 1000)),
    offset: z.optional(wholeNumber(0)),
  });
}

/** One page of a list as the service sends it. */
export interface PageBody<Item> {
  /** The items of this page. */
  data: Item[];
  /** The page's position in its list. */
  pagination: Pagination;
}
