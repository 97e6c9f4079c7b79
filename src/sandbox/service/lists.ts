import type { PageBody, PageQuery } from "../../wire/pagination.ts";
import type { Payment, PaymentListQuery } from "../../wire/payment.ts";

const defaultLimit = 100;

interface Selection<Value> {
  /** Which end of the list comes first. */
  readonly from: "first" | "last";
  /** Which values there are; all of them, if left out. */
  readonly matching?: ((value: Value) => boolean) | undefined;
}

/** One page of a list, read in place: neither sorted nor copied, however long it is. */
export function pageOf<Value>(
  values: readonly Value[],
  { limit = defaultLimit, offset = 0 }: PageQuery,
  { from, matching }: Selection<Value>,
): PageBody<Value> {
  const total = matching === undefined ? values.length : values.filter(matching).length;
  const data: Value[] = [];
  // Without a filter the page's place is known, and nothing before it is looked at.
  let index = matching === undefined ? offset : 0;
  let toSkip = matching === undefined ? 0 : offset;
  while (data.length < limit) {
    const value = values[from === "first" ? index : values.length - 1 - index];
    index++;
    if (value === undefined) break;
    if (matching?.(value) === false) continue;
    if (toSkip > 0) toSkip--;
    else data.push(value);
  }
  return {
    data,
    pagination: {
      total,
      limit,
      offset,
      hasMore: offset + limit < total,
      totalPages: Math.ceil(total / limit),
      currentPage: Math.floor(offset / limit) + 1,
    },
  };
}

/** One page of the payments that a query asks for. `payments` come oldest first. */
export function listPage(payments: readonly Payment[], query: PaymentListQuery): PageBody<Payment> {
  const { sortBy, sortOrder = "DESC" } = query;
  const byAmount = sortBy === "amountInCents";
  return pageOf(byAmount ? payments.toSorted(ascendingAmount) : payments, query, {
    from: sortOrder === "ASC" ? "first" : "last",
    matching: matching(query),
  });
}

/** Sorting is stable, so payments of equal amounts keep the order of their creation. */
function ascendingAmount(a: Payment, b: Payment): number {
  return a.amountInCents - b.amountInCents;
}

function matching({ status, type, search }: PaymentListQuery) {
  const part = search?.toLowerCase() ?? "";
  if (status === undefined && type === undefined && part === "") return undefined;
  return (payment: Payment) =>
    (status === undefined || payment.status === status) &&
    (type === undefined || payment.type === type) &&
    (part === "" || searchedTexts(payment).some((text) => text?.toLowerCase().includes(part)));
}

function searchedTexts(payment: Payment): (string | null | undefined)[] {
  const { id, depositAddress, merchantShortName, receipt } = payment;
  const { txHash, txSenderAddress } = receipt ?? {};
  return [id, depositAddress?.address, merchantShortName, txHash, txSenderAddress];
}
