import type { PageBody, PageQuery } from "../../wire/pagination.ts";
import type { Payment, PaymentListQuery } from "../../wire/payment.ts";

const defaultLimit = 100;

interface Selection<Value> {
  /** Which end of the list comes first. */
  readonly from: "first" | "last";
  /** Which values there are; all of them, if left out. */
  readonly matching?: ((value: Value) => boolean) | undefined;
}

/** One page of a list, which is not copied: it may be long. */
export function pageOf<Value>(
  values: readonly Value[],
  { limit = defaultLimit, offset = 0 }: PageQuery,
  { from, matching }: Selection<Value>,
): PageBody<Value> {
  const found = matching === undefined ? values : values.filter(matching);
  const total = found.length;
  const [start, end] =
    from === "first" ? [offset, offset + limit] : [total - offset - limit, total - offset];
  const page = found.slice(Math.max(start, 0), Math.max(end, 0));
  const data = from === "first" ? page : page.reverse();
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
