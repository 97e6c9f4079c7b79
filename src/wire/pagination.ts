import {
  boolean,
  listOf,
  number,
  type Output,
  openObject,
  type Same,
  type Schema,
} from "./schema.ts";

/** Where a page stands in its list (interface section 2.7). */
export interface Pagination {
  /** Items in the whole list. */
  total: number;
  /** Items asked for in this page. */
  limit: number;
  /** Items skipped before this page. */
  offset: number;
  hasMore: boolean;
  totalPages: number;
  currentPage: number;
}

export const paginationSchema = openObject({
  total: number,
  limit: number,
  offset: number,
  hasMore: boolean,
  totalPages: number,
  currentPage: number,
});
true satisfies Same<Pagination, Output<typeof paginationSchema>>;

/** One page of a list as the service sends it. */
export interface PageBody<Item> {
  data: Item[];
  pagination: Pagination;
}

// @__NO_SIDE_EFFECTS__
export function pageSchema<Item>(item: Schema<Item>): Schema<PageBody<Item>> {
  return openObject({ data: listOf(item), pagination: paginationSchema });
}
