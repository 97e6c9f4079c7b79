import fc from "fast-check";
import { expect } from "vitest";
import type { Quote } from "../../src/wire/quote.ts";
import { scheduleQuotes } from "./changes.ts";
import { type Command, choice, chosen, chosenWith, command } from "./command.ts";
import type { Model } from "./model.ts";
import { quoteOf } from "./payment-checks.ts";
import { ask, expectRefused, expectWebhooks, saw } from "./world.ts";

/** The payments whose secret is known from an answer. */
function opened({ payments }: Readonly<Model>) {
  return payments.filter(({ secret }) => secret !== undefined);
}

const someOpened = (model: Readonly<Model>) => opened(model).length > 0;

/** Base Sepolia: its own asset, and USDC. */
const chainId = 84_532;
const ether = "0x0000000000000000000000000000000000000000";
const usdc = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";
const anotherContract = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

/** Asks for a quote: the default one or one in a token, and for a deposit also of an amount. */
export const createQuote: fc.Arbitrary<Command> = fc
  .record({
    choice,
    isOfDeposit: fc.boolean(),
    contractAddress: fc.constantFrom(
      undefined,
      undefined,
      usdc,
      usdc,
      usdc,
      ether,
      anotherContract,
    ),
    forceDepositAmount: fc.constantFrom(undefined, 4_200, 4_200, 9_900, 9_900, 0),
  })
  .map((input) =>
    command(
      "quote",
      input,
      async (model, world) => {
        const { contractAddress } = input;
        const all = opened(model);
        const deposits = all.filter(({ type }) => type === "deposit");
        const isOfDeposit = input.isOfDeposit && deposits.length > 0;
        const payment = chosenWith("pending", isOfDeposit ? deposits : all, input.choice);
        // Asking for another amount of a payment is always refused, so do it rarely.
        const isForced = payment.type === "deposit" || input.choice === 0;
        const forceDepositAmount = isForced ? input.forceDepositAmount : undefined;
        const token = contractAddress === undefined ? {} : { chainId, contractAddress };
        const forced = forceDepositAmount === undefined ? {} : { forceDepositAmount };
        const { secret = "" } = payment;
        const reply = await ask<Quote>(world, `/payments/${payment.id}/quotes`, {
          body: { ...token, ...forced },
          secret,
        });

        const isForcible = payment.type === "deposit" && forceDepositAmount !== 0;
        const isRefused =
          contractAddress === anotherContract || (forceDepositAmount !== undefined && !isForcible);
        if (payment.status !== "pending" || isRefused) {
          saw(world, payment.status === "pending" ? "quote refused" : "quote too late");
          expectRefused(reply, [400, 422]);
          return expectWebhooks(world, []);
        }

        const quote = reply.body;
        expect(reply.status).toBe(201);
        expect(quote).toMatchObject({ paymentId: payment.id, status: "active" });
        if (contractAddress) expect(quote.token.contractAddress).toBe(contractAddress);
        const { amountInCents } = payment;
        payment.amountInCents = forceDepositAmount ?? amountInCents;
        const isOtherAmount = payment.amountInCents !== amountInCents;

        const key = `${quote.chainId} ${quote.token.contractAddress}`;
        const active = payment.quotes.find((it) => it.token === key && it.status === "active");
        // Quotes that are still active are for the amount that is due.
        for (const other of payment.quotes) {
          const isOver = isOtherAmount && other !== active && other.status === "active";
          if (isOver) other.status = "expired";
        }
        if (active === undefined) {
          saw(world, "quote created");
          expect(payment.quotes.map(({ id }) => id)).not.toContain(quote.id);
          payment.quotes.push(quoteOf(quote, payment.amountInCents, model.nowMs));
          scheduleQuotes(model, payment);
        } else if (!isOtherAmount && active.expectedAmountAsset === quote.expectedAmountAsset) {
          saw(world, "quote given again");
          expect(quote).toMatchObject({
            id: active.id,
            expectedAmountAsset: active.expectedAmountAsset,
            expiresAt: new Date(active.expiresMs).toISOString(),
          });
        } else {
          saw(world, "quote updated");
          expect(quote.id).toBe(active.id);
          Object.assign(active, quoteOf(quote, payment.amountInCents, model.nowMs));
          scheduleQuotes(model, payment);
        }
        return expectWebhooks(world, []);
      },
      someOpened,
    ),
  );

/** Reads the payment as its customer. */
export const lookAsCustomer: fc.Arbitrary<Command> = choice.map((choice) =>
  command(
    "look",
    { choice },
    async (model, world) => {
      const { id, secret = "", status, quotes } = chosen(opened(model), choice);
      const state = { status: 200, body: { id, status } };
      const path = `/payments/${id}`;
      expect(await ask(world, `${path}/status`, { secret })).toEqual(state);
      expect(await ask(world, `${path}/refresh-status`, { secret, body: {} })).toEqual(state);
      const listed = await ask<Quote[]>(world, `${path}/quotes`, { secret });
      expect(listed.body.map((quote) => quote.id)).toEqual(
        quotes.filter((quote) => quote.status === "active").map((quote) => quote.id),
      );

      const others = opened(model).filter((payment) => payment.id !== id);
      if (others.length === 0) return;
      const other = await ask(world, path, { secret: chosen(others, choice).secret ?? "" });
      expect(other).toMatchObject({
        status: 401,
        body: { error: { type: "authentication_error" } },
      });
    },
    someOpened,
  ),
);
