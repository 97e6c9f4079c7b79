import type { PageBody } from "../../wire/pagination.ts";
import type { Payment, PaymentListQuery } from "../../wire/payment.ts";

import { pageOf } from "./page.ts";

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
