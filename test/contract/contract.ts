import { afterAll, beforeAll, describe } from "vitest";
import { assetContract } from "./assets.ts";
import { checkoutContract } from "./checkout.ts";
import { dashboardContract } from "./dashboard.ts";
import { errorContract } from "./errors.ts";
import { idempotencyContract } from "./idempotency.ts";
import { paymentListContract } from "./payment-list.ts";
import { paymentContract } from "./payments.ts";
import { Service } from "./service.ts";
import type { Target } from "./target.ts";
import { withdrawalContract } from "./withdrawals.ts";

/**
 * What the service promises, held against a server: each operation's success and refusals, idempotency,
 * lists and headers. Every answer must fit the OpenAPI document and the wire's schemas. What the
 * target has no means for is left out.
 *
 * It creates payments, and withdrawals where the target names a recipient, each with an order number of
 * its own. It makes about 250 requests in all, one after the other.
 */
export function contract(name: string, target: Target): void {
  describe(name, () => {
    const service = new Service(target);
    beforeAll(() => target.open?.());
    afterAll(() => target.close?.());

    describe("payments", () => paymentContract(service));
    describe("idempotency", () => idempotencyContract(service));
    describe("the list of payments", () => paymentListContract(service));
    describe("the customer's routes", () => checkoutContract(service));
    describe("withdrawals", () => withdrawalContract(service));
    describe("the dashboard's routes", () => dashboardContract(service));
    describe("chains, tokens and the wallet", () => assetContract(service));
    describe("errors", () => errorContract(service));
  });
}
