import fc from "fast-check";
import { expect } from "vitest";
import type { CreatedPayment, Payment } from "../../src/wire/payment.ts";
import { addPayment } from "./changes.ts";
import { type Command, choice, chosen, command, idempotencyKey, orderId } from "./command.ts";
import { type Kept, keep, kept, type Model, type ModelPayment } from "./model.ts";
import { checkPayment, quoteOf } from "./payment-checks.ts";
import { ask, expectRefused, expectWebhooks, type Reply, saw, type World } from "./world.ts";

interface Creation {
  readonly body: { type?: "deposit"; amount?: number; orderId: string; currency: string };
  readonly key: string | undefined;
  readonly fault: "none" | "before" | "after" | "by chance" | "reset after";
}

const amount = fc.constantFrom(2500, 250, 100_000_000, 249, 0, -1, 100_000_001, 25.5);
const body = fc.oneof(
  { weight: 4, arbitrary: fc.record({ amount: fc.constant(2500), orderId }) },
  { weight: 2, arbitrary: fc.record({ amount, orderId }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("deposit" as const), orderId }) },
);

/** Creates a payment or a deposit, in valid and invalid ways. */
export const createPayment: fc.Arbitrary<Command> = fc
  .record({
    body: body.map((fields) => ({ ...fields, currency: "USD" })),
    key: idempotencyKey,
    fault: fc.constantFrom("none", "none", "before", "after", "by chance", "reset after"),
  })
  .map((input: Creation) =>
    command("create", input, async (model, world) => {
      const { sandbox } = world;
      const earlier = kept(model.paymentKeys, input.key, model.nowMs);
      const text = JSON.stringify(input.body);
      const isValid = input.body.type === "deposit" || isPayable(input.body.amount);
      const { reply, takesEffect } = await sendWith(world, input);

      if (reply === undefined) {
        const creates = takesEffect && earlier === undefined && isValid;
        saw(world, creates ? "creation whose answer is lost" : "fault that hides nothing");
        if (!creates) return expectWebhooks(world, []);
        const latest = sandbox.payments.all().at(-1);
        if (latest === undefined) throw new Error("Nothing was created.");
        return created(model, world, input, latest, undefined);
      }
      if (earlier !== undefined) {
        await expectWebhooks(world, []);
        return expectRepetition(world, reply, earlier, text);
      }
      if (!isValid) {
        saw(world, "creation refused");
        expectRefused(reply, [400, 422]);
        expect(reply.body).toMatchObject({ error: { code: "invalid_amount", param: "amount" } });
        return expectWebhooks(world, []);
      }
      const answer = reply.body;
      expect(reply.status).toBe(201);
      expect(answer.paymentId).toBe(answer.payment.id);
      return created(model, world, input, answer.payment as Payment, answer);
    }),
  );

interface Sent {
  /** `undefined` if a fault hid it. */
  readonly reply: Reply<CreatedPayment> | undefined;
  readonly takesEffect: boolean;
}

/** Sends a creation that meets its fault. */
async function sendWith(world: World, input: Creation): Promise<Sent> {
  const { faults } = world.sandbox;
  const route = "POST /v1/external/secretkey-auth/payments";
  const lost = { status: 503, when: "after" } as const;
  switch (input.fault) {
    case "none":
      return { reply: await post(world, input), takesEffect: true };
    case "before":
      faults.next(route, { status: 503, when: "before" });
      expect(await post(world, input)).toMatchObject({ status: 503 });
      return { reply: undefined, takesEffect: false };
    case "after":
      faults.next(route, lost);
      expect(await post(world, input)).toMatchObject({ status: 503 });
      return { reply: undefined, takesEffect: true };
    case "reset after":
      faults.next(route, { connection: "reset", when: "after" });
      await expect(post(world, input)).rejects.toThrow(TypeError);
      return { reply: undefined, takesEffect: true };
    case "by chance": {
      faults.next(route, lost, { probability: 0.5 });
      const reply = await post(world, input);
      faults.clear();
      const isMet = reply.status === 503;
      saw(world, isMet ? "fault met by chance" : "fault spared by chance");
      return { reply: isMet ? undefined : reply, takesEffect: true };
    }
  }
}

function post(world: World, { body, key }: Creation) {
  return ask<CreatedPayment>(world, "/payments", { body, idempotencyKey: key });
}

/** Interface section 8. */
function isPayable(amount = 0): boolean {
  return Number.isInteger(amount) && amount >= 250 && amount <= 100_000_000;
}

async function created(
  model: Model,
  world: World,
  { body, key }: Creation,
  payment: Payment,
  answer: CreatedPayment | undefined,
): Promise<void> {
  const { type = "payment", amount = 0, orderId } = body;
  expect(model.payments.map(({ id }) => id)).not.toContain(payment.id);
  const { quotes } = payment;
  const modelled: ModelPayment = {
    id: payment.id,
    secret: answer?.secret,
    type,
    orderId,
    amountInCents: type === "deposit" ? 0 : amount,
    status: "pending",
    quotes: quotes.map((quote) => quoteOf(quote, type === "deposit" ? 0 : amount, model.nowMs)),
    createdMs: model.nowMs,
    isReceived: false,
    confirmations: null,
    ahead: [],
  };
  expect(quotes.length).toBeGreaterThan(0);
  checkPayment(payment, modelled);
  expect(payment.createdAt).toBe(new Date(model.nowMs).toISOString());
  if (key !== undefined) {
    if (model.paymentKeys.has(key)) saw(world, "payment's key reused a day later");
    keep(model, "payments.create", key, { body: JSON.stringify(body), id: payment.id, answer });
  }
  saw(world, `${type} created`);
  await expectWebhooks(world, addPayment(model, modelled));
}

/** Interface section 4.1, rule 3. */
function expectRepetition(
  world: World,
  reply: { status: number; body: unknown },
  earlier: Kept,
  body: string,
): void {
  if (body !== earlier.body) {
    saw(world, "creation in conflict");
    expectRefused(reply, [409]);
    expect(reply.body).toMatchObject({ error: { code: "idempotency_conflict" } });
    return;
  }
  saw(world, earlier.answer === undefined ? "lost answer returned again" : "creation repeated");
  expect(reply).toMatchObject({ status: 201, body: { paymentId: earlier.id } });
  if (earlier.answer === undefined) earlier.answer = reply.body;
  else expect(reply.body).toEqual(earlier.answer);
}

/** Reads one payment as the merchant. */
export const readPayment: fc.Arbitrary<Command> = choice.map((choice) =>
  command(
    "read",
    { choice },
    async (model, world) => {
      const modelled = chosen(model.payments, choice);
      const { status, body } = await ask<Payment>(world, `/payments/${modelled.id}`);
      expect(status).toBe(200);
      checkPayment(body, modelled);
    },
    ({ payments }) => payments.length > 0,
  ),
);

/** Reads a page of payments. */
export const listPayments: fc.Arbitrary<Command> = fc
  .record({
    status: fc.constantFrom(undefined, "pending", "completed", "failed", "expired"),
    type: fc.constantFrom(undefined, "payment", "deposit"),
    sortBy: fc.constantFrom(undefined, "createdAt", "amountInCents"),
    sortOrder: fc.constantFrom(undefined, "ASC", "DESC"),
    limit: fc.constantFrom(undefined, 1, 2, 1000),
    offset: fc.constantFrom(undefined, 0, 1, 3),
  })
  .map((query) =>
    command("list", query, async (model, world) => {
      const { status, type, sortBy, sortOrder, limit = 100, offset = 0 } = query;
      const entries = Object.entries(query).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)]],
      );
      const reply = await ask<{ data: Payment[]; pagination: object }>(
        world,
        `/payments?${new URLSearchParams(entries)}`,
      );

      const oldestFirst = model.payments
        .filter((payment) => status === undefined || payment.status === status)
        .filter((payment) => type === undefined || payment.type === type);
      if (sortBy === "amountInCents") oldestFirst.sort((a, b) => a.amountInCents - b.amountInCents);
      const wanted = sortOrder === "ASC" ? oldestFirst : oldestFirst.toReversed();
      const page = wanted.slice(offset, offset + limit);
      expect(reply.status).toBe(200);
      expect(reply.body.data.map(({ id }) => id)).toEqual(page.map(({ id }) => id));
      expect(reply.body.pagination).toEqual({
        total: wanted.length,
        limit,
        offset,
        hasMore: offset + limit < wanted.length,
        totalPages: Math.ceil(wanted.length / limit),
        currentPage: Math.floor(offset / limit) + 1,
      });
      if (page.length > 0) saw(world, "page with payments");
    }),
  );
