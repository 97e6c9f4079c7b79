import * as z from "zod/mini";
import type { WebhookDelivery } from "../../sandbox/index.ts";
import { advance, resend, scenarios, simulate } from "../control.ts";
import { faultFrom } from "../faults.ts";
import { control } from "../running-sandbox.ts";
import { defineTool, described, id, type Tool } from "./tool.ts";

const cents = z.int().check(z.minimum(1));
const merchantId = described(z.optional(z.string()), "Default: the first merchant.");

/**
 * Tools that change a running sandbox. They use its control routes, which the service does not have, and no key, so
 * they cannot move money whatever the environment says.
 */
export function sandboxTools(): Tool[] {
  /** Changes the faults, and returns the pending ones. */
  const faults = async (path: string, change: object) => {
    await control(`faults${path}`, { body: change });
    return control("faults");
  };
  return [
    defineTool({
      name: "sandbox_create_payment",
      description: "Creates a payment in the sandbox.",
      input: { orderId: z.string(), amount: described(cents, "In cents."), merchantId },
      async run(input) {
        const { paymentId } = await control<{ paymentId: string }>("payments", { body: input });
        return { paymentId };
      },
    }),
    defineTool({
      name: "sandbox_create_withdrawal",
      description: "Creates a withdrawal in the sandbox.",
      input: {
        orderId: z.string(),
        amountInCents: cents,
        chainId: described(z._default(z.int(), 84_532), "A testnet, such as 84532."),
        recipientAddress: z.string(),
        merchantId,
      },
      run: (input) => control("withdrawals", { body: input }),
    }),
    defineTool({
      name: "sandbox_simulate",
      description:
        "Simulates the customer of a payment (success and so on), refunds or cancels it, or moves a withdrawal (process and so on).",
      input: { id: id("payment or withdrawal"), scenario: z.enum(scenarios) },
      run: (input) => simulate(input),
    }),
    defineTool({
      name: "sandbox_advance_clock",
      description: "Advances the sandbox's clock and reports the last 50 events that became due.",
      input: { duration: described(z.string(), "Such as 90s, 15m, 2h or 1d.") },
      async run({ duration }) {
        const all = await advance(duration);
        return { ...all, happened: all.happened.slice(-50), total: all.happened.length };
      },
    }),
    defineTool({
      name: "sandbox_list_deliveries",
      description:
        "Lists the latest webhook deliveries of the sandbox, with the endpoint's responses.",
      isReadOnly: true,
      input: {},
      async run() {
        const { data } = await control<{ data: WebhookDelivery[] }>("deliveries");
        return { deliveries: data.slice(-20).map(summaryOf) };
      },
    }),
    defineTool({
      name: "sandbox_resend_webhook",
      description: "Resends a webhook of the sandbox.",
      input: { deliveryId: id("delivery") },
      run: async ({ deliveryId }) => summaryOf(await resend(deliveryId)),
    }),
    defineTool({
      name: "sandbox_inject_fault",
      description:
        "Makes the next matching requests to the sandbox fail: POST /payments 503 after x2, GET /payments 800ms, " +
        "POST /withdrawals reset after, * truncated, or 10/s for a rate limit.",
      input: { fault: described(z.string(), "Such as POST /payments 503 after.") },
      run({ fault }) {
        const asked = faultFrom(fault);
        if ("rateLimit" in asked) return faults("/rate-limit", { limit: asked.rateLimit });
        const { options, ...where } = asked;
        const times = options.times === Number.POSITIVE_INFINITY ? "always" : options.times;
        return faults("", { ...where, ...options, times });
      },
    }),
    defineTool({
      name: "sandbox_clear_faults",
      description: "Removes all pending faults, and the rate limit.",
      input: {},
      run: () => faults("/clear", {}),
    }),
  ];
}

/** A delivery without its signed requests. */
function summaryOf({ id, event, status, data, attempts, nextAttemptAt }: WebhookDelivery) {
  const answers = attempts.map(({ at, status, error }) => ({ at, status, error }));
  return { id, event, status, data, nextAttemptAt, answers };
}
