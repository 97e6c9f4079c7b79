import fc from "fast-check";
import type { DueEvent, SandboxSnapshot } from "settlekit/sandbox";
import { expect } from "vitest";
import { advance, type ModelHappening } from "./advance.ts";
import { type Command, choice, chosen, command } from "./command.ts";
import { redeliver } from "./deliveries.ts";
import type { DisorderName, Model } from "./model.ts";
import { expectWebhooks, paidQuote, saw, type World } from "./world.ts";

/** Advances the time up to and beyond the next expiry. */
export const advanceClock: fc.Arbitrary<Command> = fc
  .constantFrom("1s", "8s", "30s", "4m", "10m", "15m", "1h", "23h", "24h")
  .map((duration) =>
    command("advance", duration, async (model, world) => {
      const happened = await world.sandbox.clock.advance(duration as "1s");
      const payments = new Map(world.sandbox.payments.all().map((it) => [it.id, it]));
      const { happenings, attempts } = advance(model, inMs(duration), (id) =>
        paidQuote(payments.get(id)),
      );
      expect(happened.map(asModelled)).toEqual(happenings);
      expect(world.sandbox.clock.now().getTime()).toBe(model.nowMs);
      for (const { type } of happenings) saw(world, type);
      if (attempts.some(({ attempt }) => attempt === 5)) saw(world, "webhook's last attempt");
      await expectWebhooks(world, attempts);
    }),
  );

function inMs(duration: string): number {
  const unit = { s: 1_000, m: 60_000, h: 3_600_000 }[duration.at(-1) ?? ""] ?? Number.NaN;
  return Number.parseInt(duration, 10) * unit;
}

function asModelled(event: DueEvent): ModelHappening {
  const { at, type } = event;
  switch (type) {
    case "quotes.expired":
      return { type, at, paymentId: event.paymentId, quoteIds: [...event.quoteIds] };
    case "payment.expired":
      return { type, at, paymentId: event.paymentId };
    case "payment.moved":
      return { type, at, subject: event.paymentId, status: event.status };
    case "withdrawal.moved":
      return { type, at, subject: event.withdrawalId, status: event.status };
    case "webhook.attempted":
      return { type, at, event: event.event, attempt: event.attempt };
  }
}

/** Makes the merchant's endpoint accept webhooks, refuse them or fail. */
export const changeReceiver: fc.Arbitrary<Command> = fc
  .constantFrom("accepts", "refuses", "breaks")
  .map((receiver) =>
    command("endpoint", receiver, async (model) => {
      model.receiver = receiver as Model["receiver"];
    }),
  );

const disorders = fc.constantFrom<DisorderName>(
  ...(["duplicate", "reorder", "delay", "tamper", "stale-timestamp", "wrong-secret"] as const),
);

/** Sets the disorder of the next webhooks. */
export const disorderWebhooks: fc.Arbitrary<Command> = fc
  .record({
    kind: disorders,
    event: fc.constantFrom(undefined, undefined, "payment.created", "payment.updated"),
    times: fc.constantFrom(1, 1, 2),
  })
  .map((input) =>
    command("disorder", input, async (model, { sandbox }) => {
      const { kind, event, times } = input;
      sandbox.webhooks.disorder(kind, { event: event as "payment.created" | undefined, times });
      model.disorders.push({ kind, event, times });
      expect(sandbox.webhooks.disorders()).toMatchObject(
        model.disorders.map((it) => ({ ...it, event: it.event ?? null })),
      );
    }),
  );

/** Delivers an event once more, possibly with a disorder. */
export const replayWebhook: fc.Arbitrary<Command> = fc
  .record({ choice, disorder: fc.option(disorders, { nil: undefined }) })
  .map(({ choice, disorder }) =>
    command(
      "replay",
      { choice, disorder },
      async (model, world) => {
        const { webhooks } = world.sandbox;
        const original = chosen(webhooks.deliveries(), choice);
        const again = await webhooks.replay(original.id, { disorder });
        saw(world, `webhook replayed with ${disorder ?? "no disorder"}`);
        expect(again.id).not.toBe(original.id);
        expect(again).toMatchObject({ eventId: original.eventId, data: original.data });
        const attempts = redeliver(model, chosen(model.deliveries, choice), disorder);
        const sent = { duplicate: 2, reorder: 0, delay: 0 }[String(disorder)] ?? 1;
        expect(again.attempts).toHaveLength(sent);
        await expectWebhooks(world, attempts);
      },
      ({ deliveries }) => deliveries.length > 0,
    ),
  );

const snapshots = new WeakMap<World, { real: SandboxSnapshot; model: Model }>();

/** Takes a snapshot, or restores the last one. */
export const snapshotOrRestore: fc.Arbitrary<Command> = fc
  .constantFrom("snapshot", "restore")
  .map((step) =>
    command(step, "", async (model, world) => {
      const kept = snapshots.get(world);
      if (step === "snapshot") {
        const real = world.sandbox.snapshot();
        snapshots.set(world, { real, model: structuredClone(model) });
      } else if (kept !== undefined) {
        saw(world, "snapshot restored");
        world.sandbox.restore(kept.real);
        // The endpoint does not belong to the sandbox, so it keeps its state.
        Object.assign(model, structuredClone(kept.model), { receiver: model.receiver });
      }
    }),
  );
