import { createSandbox, type Sandbox } from "settlekit/sandbox";
import { Webhooks } from "settlekit/webhooks";
import { expect } from "vitest";
import type { Payment } from "../../src/wire/payment.ts";
import type { Attempt, Model } from "./model.ts";

/** The sandbox under test, with a merchant's endpoint that keeps what it is sent. */
export interface World {
  readonly sandbox: Sandbox;
  /** The webhooks received since the last check. */
  received: Omit<Attempt, "attempt">[];
  /** How often each thing happened, over all sequences. */
  readonly seen: Set<string>;
}

export const startOfTime = new Date("2026-01-01T00:00:00.000Z");

export function newWorld(model: Model, seed: number, seen: World["seen"]): World {
  const received: World["received"] = [];
  const webhooks = new Webhooks({
    secret: () => sandbox.webhookSecret,
    now: () => sandbox.clock.now(),
  });
  const sandbox: Sandbox = createSandbox({
    seed,
    now: startOfTime,
    async deliver(request) {
      const result = await webhooks.safeVerify(request);
      // A tampered body may be unreadable, but the header still names its event.
      const id = request.headers.get("x-service-event-id");
      const delivery = sandbox.webhooks.deliveries().find(({ eventId }) => eventId === id);
      if (delivery === undefined) throw new Error("A webhook belongs to no delivery.");
      const { event, data } = delivery;
      const atMs = sandbox.clock.now().getTime();
      if (result.ok) {
        // Signed, and stamped with the sandbox's time.
        expect(result.webhook).toMatchObject({ event, data });
        expect(result.webhook.timestamp.getTime()).toBe(Math.floor(atMs / 1000) * 1000);
      }
      const facts = { event, subject: data.id, subjectStatus: String(data.status) };
      received.push({ ...facts, atMs, isForged: !result.ok });
      if (model.receiver === "breaks") throw new Error("The endpoint is down.");
      if (!result.ok) return new Response(result.reason, { status: 401 });
      return new Response(null, { status: model.receiver === "accepts" ? 204 : 503 });
    },
  });
  return { sandbox, received, seen };
}

/** The quote that was paid, if any was. */
export function paidQuote(payment: Payment | undefined) {
  return payment?.quotes.find(({ status }) => status === "used");
}

/** Counts a milestone that a sequence has reached. */
export function saw({ seen }: World, what: string): void {
  seen.add(what);
}

/** Checks that exactly these webhooks have arrived, those of one subject in this order. */
export async function expectWebhooks(world: World, attempts: readonly Attempt[]): Promise<void> {
  await world.sandbox.webhooks.idle();
  const expected = attempts.map(({ attempt: _, ...rest }) => rest);
  expect(bySubject(world.received)).toEqual(bySubject(expected));
  world.received.length = 0;
}

function bySubject<Item extends { readonly subject: string }>(items: readonly Item[]) {
  return Object.groupBy(items, ({ subject }) => subject);
}

export interface Reply<Body = unknown> {
  readonly status: number;
  /** Of this form if the status is a success. */
  readonly body: Body;
}

export interface Ask {
  readonly body?: object | undefined;
  /** A payment's secret. Without one, the merchant's key is sent. */
  readonly secret?: string;
  readonly idempotencyKey?: string | undefined;
}

export async function ask<Body>(
  { sandbox }: World,
  path: string,
  { body, secret, idempotencyKey }: Ask = {},
): Promise<Reply<Body>> {
  const group = secret === undefined ? "secretkey-auth" : "payment-secret-auth";
  const headers = new Headers(
    secret === undefined
      ? { "X-Service-Secret-Key": sandbox.secretKey }
      : { "X-Service-Payment-Secret": secret },
  );
  if (idempotencyKey !== undefined) headers.set("Idempotency-Key", idempotencyKey);
  const response = await sandbox.fetch(
    new Request(`http://model.test/v1/external/${group}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers,
      ...(body && { body: JSON.stringify(body) }),
    }),
  );
  return { status: response.status, body: (await response.json()) as Body };
}

/** Checks that a request was refused, in the documented envelope. */
export function expectRefused({ status, body }: Reply, statuses: readonly number[]): void {
  expect(statuses, JSON.stringify(body)).toContain(status);
  expect(body).toEqual({
    error: expect.objectContaining({
      type: "invalid_request_error",
      code: expect.any(String),
      message: expect.any(String),
    }),
  });
}
