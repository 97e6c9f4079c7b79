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
 * Tests a server against the service's contract: each operation's success and refusals, idempotency, lists and
 * headers. Every answer must match the OpenAPI document and the wire schemas. Tests that need more than the target
 * offers are left out.
 *
 * Creates payments, and withdrawals if the target names a recipient, each with its own order id. Makes about 250
 * requests, one after the other.
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
