import fc from "fast-check";
import { expect } from "vitest";
import type { Withdrawal } from "../../src/wire/withdrawal.ts";
import { addWithdrawal } from "./changes.ts";
import { type Command, choice, chosen, command, idempotencyKey } from "./command.ts";
import { keep, kept, type Model, type ModelWithdrawal } from "./model.ts";
import { ask, expectRefused, expectWebhooks, saw, type World } from "./world.ts";

const recipientAddress = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

interface Creation {
  readonly body: { amountInCents: number; chainId: number; orderId?: string | undefined };
  readonly key: string | undefined;
  readonly fault: "none" | "before" | "after";
}

const body = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      amountInCents: fc.constant(500),
      chainId: fc.constantFrom(84_532, 84_532, 11_155_111),
      orderId: fc.constantFrom("order_1", undefined),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      amountInCents: fc.constantFrom(100, 99, 0, 100_000_001),
      chainId: fc.constantFrom(84_532, 1_234_567),
    }),
  },
);

/** Creates a withdrawal, under every treatment of its key. */
export const createWithdrawal: fc.Arbitrary<Command> = fc
  .record({
    body: body.map((fields) => ({ ...fields, recipientAddress })),
    key: idempotencyKey,
    fault: fc.constantFrom("none", "none", "none", "before", "after"),
  })
  .map((input: Creation) =>
    command("withdraw", input, async (model, world) => {
      const { sandbox } = world;
      const { body, key, fault } = input;
      if (fault !== "none") sandbox.faults.next("POST /withdrawals", { status: 500, when: fault });
      const reply = await ask<Withdrawal>(world, "/withdrawals", { body, idempotencyKey: key });
      if (fault !== "none") expect(reply.status).toBe(500);

      const outcome = outcomeOf(model, input);
      saw(world, `withdrawal ${fault === "none" ? outcome : `with a fault ${fault}`}`);
      if (fault === "before") return expectWebhooks(world, []);
      if (outcome !== "created") {
        if (fault === "none") checkReply(model, reply, outcome, key);
        return expectWebhooks(world, []);
      }
      const withdrawal = fault === "none" ? reply.body : sandbox.withdrawals.all().at(-1);
      if (withdrawal === undefined) throw new Error("Nothing was created.");
      if (fault === "none") expect(reply.status).toBe(201);
      return created(model, world, input, withdrawal, fault === "none" ? reply.body : undefined);
    }),
  );

type Outcome = "created" | "repeated" | "in conflict" | "refused";

function outcomeOf(model: Model, { body, key }: Creation): Outcome {
  const earlier = kept(model.withdrawalKeys, key, model.nowMs);
  if (earlier !== undefined && model.withdrawalIdempotency === "conflict") return "in conflict";
  if (earlier !== undefined && model.withdrawalIdempotency === "honoured") {
    return earlier.body === JSON.stringify(body) ? "repeated" : "in conflict";
  }
  const { amountInCents, chainId } = body;
  const isPayable = amountInCents >= 100 && amountInCents <= 100_000_000;
  return isPayable && [84_532, 11_155_111].includes(chainId) ? "created" : "refused";
}

function checkReply(
  model: Model,
  reply: { status: number; body: unknown },
  outcome: Exclude<Outcome, "created">,
  key: string | undefined,
): void {
  if (outcome !== "repeated") {
    expectRefused(reply, outcome === "refused" ? [400, 422] : [409]);
    return;
  }
  const earlier = kept(model.withdrawalKeys, key, model.nowMs);
  expect(reply).toMatchObject({ status: 201, body: { id: earlier?.id } });
  if (earlier?.answer !== undefined) expect(reply.body).toEqual(earlier.answer);
}

async function created(
  model: Model,
  world: World,
  { body, key }: Creation,
  withdrawal: Withdrawal,
  answer: Withdrawal | undefined,
): Promise<void> {
  const { id } = withdrawal;
  const { amountInCents, orderId } = body;
  expect(model.withdrawals.map((other) => other.id)).not.toContain(id);
  const modelled: ModelWithdrawal = {
    id,
    amountInCents,
    orderId,
    status: "pending",
    updatedMs: model.nowMs,
    ahead: [],
  };
  checkWithdrawal(withdrawal, modelled);
  expect(withdrawal.createdAt).toBe(new Date(model.nowMs).toISOString());
  if (key !== undefined && kept(model.withdrawalKeys, key, model.nowMs) === undefined) {
    if (model.withdrawalKeys.has(key)) saw(world, "withdrawal's key reused a day later");
    keep(model, "withdrawals.create", key, { body: JSON.stringify(body), id, answer });
  }
  await expectWebhooks(world, addWithdrawal(model, modelled));
}

/** Interface section 3.2: which fields are filled when. */
export function checkWithdrawal(withdrawal: Withdrawal, modelled: ModelWithdrawal): void {
  const { id, amountInCents, orderId, status, updatedMs } = modelled;
  const updatedAt = new Date(updatedMs).toISOString();
  expect(withdrawal).toMatchObject({ id, amountInCents, status, updatedAt, currency: "USD" });
  expect(withdrawal.orderId).toBe(orderId);
  expect(withdrawal.receipt !== null).toBe(status === "completed");
  expect(withdrawal.errorMessage !== null).toBe(status === "failed");
}

/** Reads a withdrawal and a page of them. */
export const readWithdrawals: fc.Arbitrary<Command> = fc
  .record({
    choice,
    status: fc.constantFrom(undefined, "pending", "processing", "completed", "failed"),
    limit: fc.constantFrom(1, 3, 1000),
  })
  .map((input) =>
    command(
      "read withdrawals",
      input,
      async (model, world) => {
        const modelled = chosen(model.withdrawals, input.choice);
        const one = await ask<Withdrawal>(world, `/withdrawals/${modelled.id}`);
        expect(one.status).toBe(200);
        checkWithdrawal(one.body, modelled);

        const { status, limit } = input;
        const filter = status === undefined ? "" : `&status=${status}`;
        const page = await ask<{ data: Withdrawal[]; pagination: object }>(
          world,
          `/withdrawals?limit=${limit}${filter}`,
        );
        const wanted = model.withdrawals
          .filter((withdrawal) => status === undefined || withdrawal.status === status)
          .toReversed();
        expect(page.body.data.map(({ id }) => id)).toEqual(
          wanted.slice(0, limit).map(({ id }) => id),
        );
        expect(page.body.pagination).toMatchObject({ total: wanted.length, limit });
        for (const listed of page.body.data) {
          expect("receipt" in listed).toBe(listed.status === "completed");
          expect("errorMessage" in listed).toBe(listed.status === "failed");
        }
      },
      ({ withdrawals }) => withdrawals.length > 0,
    ),
  );

/** Changes how the service treats repeated keys. */
export const changeIdempotency: fc.Arbitrary<Command> = fc
  .constantFrom("ignored", "honoured", "honoured", "conflict")
  .map((setting) =>
    command("withdrawal keys", setting, async (model, world) => {
      const withdrawalIdempotency = setting as Model["withdrawalIdempotency"];
      model.withdrawalIdempotency = withdrawalIdempotency;
      world.sandbox.withdrawalIdempotency = withdrawalIdempotency;
    }),
  );
