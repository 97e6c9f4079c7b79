import { afterAll, beforeAll, describe } from "vitest";
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
 * lists and headers. Every answer must fit the OpenAPI document and the wire's schemas. A part that
 * the target has no means for is skipped, and says so.
 *
 * It creates payments, and withdrawals where the target names a recipient, each with an order number of
 * its own. It makes about 200 requests in all, one after the other.
 */
export function contract(name: string, open: () => Promise<Target>): void {
  describe(name, () => {
    let service: Service | undefined;
    beforeAll(async () => {
      service = new Service(await open());
    });
    afterAll(() => service?.target.close?.());
    const opened: OpenedService = () => {
      if (service === undefined) throw new Error("The target is not open.");
      return service;
    };

    describe("payments", () => paymentContract(opened));
    describe("idempotency", () => idempotencyContract(opened));
    describe("the list of payments", () => paymentListContract(opened));
    describe("the customer's routes", () => checkoutContract(opened));
    describe("withdrawals", () => withdrawalContract(opened));
    describe("the dashboard's routes", () => dashboardContract(opened));
    describe("errors", () => errorContract(opened));
  });
}

/** The service under test, once it is open. */
export type OpenedService = () => Service;
