import type { PageBody } from "../wire/pagination.ts";
import type { Payment } from "../wire/payment.ts";
import type { PaymentListQuery } from "../wire/payment-list.ts";

const defaultLimit = 100;

/** One page of the payments that a query asks for. `payments` come oldest first. */
export function listPage(payments: readonly Payment[], query: PaymentListQuery): PageBody<Payment> {
  const { limit = defaultLimit, offset = 0 } = query;
  const found = sorted(payments.filter(matching(query)), query);
  const { length: total } = found;
  return {
    data: found.slice(offset, offset + limit),
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

function matching({ status, type, search }: PaymentListQuery): (payment: Payment) => boolean {
  const part = search?.toLowerCase() ?? "";
  return (payment) =>
    (status === undefined || payment.status === status) &&
    (type === undefined || payment.type === type) &&
    (part === "" || searchedTexts(payment).some((text) => text?.toLowerCase().includes(part)));
}

function searchedTexts(payment: Payment): (string | null | undefined)[] {
  const { id, depositAddress, merchantShortName, receipt } = payment;
  const { txHash, txSenderAddress } = receipt ?? {};
  return [id, depositAddress?.address, merchantShortName, txHash, txSenderAddress];
}

/** Sorting is stable, so payments of equal amounts keep the order of their creation. */
function sorted(oldestFirst: Payment[], { sortBy, sortOrder = "DESC" }: PaymentListQuery) {
  const ascending = sortOrder === "ASC";
  const payments = ascending ? oldestFirst : oldestFirst.reverse();
  if (sortBy !== "amountInCents") return payments;
  const sign = ascending ? 1 : -1;
  return payments.sort((a, b) => sign * (a.amountInCents - b.amountInCents));
}
