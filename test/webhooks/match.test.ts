import { describe, expect, test } from "vitest";
import {
  signWebhook,
  type Webhook,
  type WebhookBranches,
  Webhooks,
} from "../../src/webhooks/index.ts";

const secret = "whsec_of_this_test";

/** A verified webhook. */
function received(event: string, data: object): Webhook {
  const body = JSON.stringify({ event, data });
  return new Webhooks({ secret }).verifySync(signWebhook({ body, secret }));
}

const branches: WebhookBranches<string> = {
  payment: {
    pending: ({ data }) => `payment ${data.status}`,
    processing: ({ data }) => `payment ${data.status}`,
    completed: ({ data }) => `payment ${data.status}`,
    confirmed: ({ data }) => `payment ${data.status}`,
    failed: ({ data }) => `payment ${data.status}`,
    expired: ({ data }) => `payment ${data.status}`,
    cancelled: ({ data }) => `payment ${data.status}`,
    refunded: ({ data }) => `payment ${data.status}`,
    partially_refunded: ({ data }) => `payment ${data.status}`,
    unknown: ({ data }) => `payment with unknown ${data.status}`,
  },
  withdrawal: {
    pending: ({ data }) => `withdrawal ${data.status}`,
    processing: ({ data }) => `withdrawal ${data.status}`,
    completed: ({ data }) => `withdrawal ${data.status}`,
    failed: ({ data }) => `withdrawal ${data.status}`,
    cancelled: ({ data }) => `withdrawal ${data.status}`,
    unknown: ({ data }) => `withdrawal with unknown ${data.status}`,
  },
  unknown: ({ event }) => `unknown ${event}`,
};

describe("Webhooks.match", () => {
  test.each([
    ["payment.updated", "completed", "payment completed"],
    ["payment.created", "pending", "payment pending"],
    ["payment.confirmed", "confirmed", "payment confirmed"],
    ["withdrawal.updated", "failed", "withdrawal failed"],
    ["payment.updated", "settled", "payment with unknown settled"],
    ["withdrawal.updated", "refunded", "withdrawal with unknown refunded"],
    ["payment.disputed", "completed", "unknown payment.disputed"],
    // Inherited properties are not branches.
    ["payment.updated", "constructor", "payment with unknown constructor"],
    ["payment.updated", "__proto__", "payment with unknown __proto__"],
    ["toString", "completed", "unknown toString"],
  ])("takes %s with status %s to the branch: %s", (event, status, branch) => {
    expect(Webhooks.match(received(event, { status, orderId: "order_1" }), branches)).toBe(branch);
  });

  test.each([[{}], [{ status: null }], [{ status: 1 }]])(
    "takes %j, which has no status, to the unknown branch of its object",
    (data) => {
      expect(Webhooks.match(received("payment.updated", data), branches)).toMatch(
        /^payment with unknown/,
      );
    },
  );

  test("returns what the branch returns, including promises", async () => {
    const webhook = received("payment.updated", { status: "completed", orderId: "order_1" });
    const slow: WebhookBranches<Promise<number>> = {
      payment: {
        ...numbers("pending", "processing", "failed", "expired", "cancelled", "refunded"),
        ...numbers("confirmed", "partially_refunded", "unknown"),
        completed: async () => 7,
      },
      withdrawal: numbers("pending", "processing", "completed", "failed", "cancelled", "unknown"),
      unknown: async () => 0,
    };
    expect(await Webhooks.match(webhook, slow)).toBe(7);
  });
});

function numbers<Name extends string>(...names: Name[]) {
  const entries = names.map((name) => [name, async () => 0]);
  return Object.fromEntries(entries) as Record<Name, () => Promise<number>>;
}
