import { parseDuration } from "../duration.ts";
import { eventTypes } from "../sandbox/events.ts";
import type { SandboxEvent, WebhookDelivery } from "../sandbox/index.ts";
import { paymentOutcomes } from "../sandbox/service/payment-scenarios.ts";
import { withdrawalOutcomes } from "../sandbox/service/withdrawal-scenarios.ts";
import { defineCommand, operand, readBy, setting, toggle } from "./command.ts";
import { answerTo, exitCodeFor } from "./endpoint-answer.ts";
import { exitCodes, UsageError } from "./exit-codes.ts";
import { centsFrom, oneOf } from "./options.ts";
import { printRecord } from "./records.ts";
import { control, controlOptions, eventsOf } from "./running-sandbox.ts";
import { printEvent, requestsFirst } from "./sandbox-lines.ts";
import { untilStopped } from "./terminal.ts";

/** By scenario, the statuses in which it can be played, and the one that it leads to. */
export const outcomes = { payments: paymentOutcomes, withdrawals: withdrawalOutcomes } as const;
/** The scenarios of payments, then those of withdrawals. */
export const scenarios = Object.keys({ ...paymentOutcomes, ...withdrawalOutcomes });

export const simulateCommand = defineCommand({
  name: "simulate",
  brief: "Simulate a customer, or the service, in a running sandbox.",
  description:
    "Plays a scenario on a payment or withdrawal of a running sandbox, and prints the result; with --json, all its fields. For a payment: success, underpayment, overpayment, timeout (nothing arrives), late (after it has expired), cancel, refund or partial-refund. For a withdrawal: process, complete, fail or cancel.",
  examples: [
    "settlekit simulate PAYMENT_ID success",
    "settlekit simulate WITHDRAWAL_ID fail --json",
  ],
  options: {
    id: operand("ID", "The id of the payment or withdrawal."),
    scenario: operand("SCENARIO", "The scenario to play.", oneOf(scenarios)),
    amountInCents: setting(
      "--amount CENTS",
      "For a deposit: the amount that the customer chose. Default: what was quoted, or else 2500.",
      centsFrom({ min: 1 }),
    ).optional(),
    ...controlOptions,
  },
  async run({ id, scenario, amountInCents, url }, terminal) {
    if (amountInCents !== undefined && !(scenario in paymentOutcomes)) {
      throw new UsageError("Leave out --amount: a withdrawal already has an amount.");
    }
    const names = ["id", "orderId", "status", "amountInCents", "receipt.settledAmountUsd"];
    await printRecord(await simulate({ id, scenario, amountInCents }, url), terminal, names);
  },
});

export async function simulate(
  { id, ...body }: { id: string; scenario: string; amountInCents?: number | undefined },
  url?: URL,
): Promise<object> {
  let kind = body.scenario in paymentOutcomes ? "payments" : "withdrawals";
  if (kind === "payments" && body.scenario in withdrawalOutcomes) {
    const { data } = await control<{ data: { id: string }[] }>("withdrawals", { url });
    if (data.some((withdrawal) => withdrawal.id === id)) kind = "withdrawals";
  }
  return control(`${kind}/${encodeURIComponent(id)}/simulate`, { url, body });
}

/** In milliseconds. A unit is required, because a bare number could also mean seconds. */
const duration = readBy((input) => {
  const milliseconds = parseDuration(input);
  if (milliseconds !== undefined) return milliseconds;
  throw new UsageError("Expected a whole number with a unit, as in 90s or 15m; at most 1000000d.");
});

export const advanceCommand = defineCommand({
  name: "advance",
  brief: "Advance the clock of a running sandbox.",
  description:
    "Advances the clock of a running sandbox and prints what became due: expiries, confirmations, webhooks and their retries.",
  examples: ["settlekit advance 15m"],
  options: {
    duration: operand("DURATION", "A whole number with a unit, such as 90s, 15m or 2d.", duration),
    ...controlOptions,
  },
  async run({ duration, url }, terminal) {
    const { now, happened } = await advance(duration, url);
    for (const event of happened) printEvent(event, terminal.result);
    terminal.report({ type: "advanced", now }, `The sandbox's clock shows ${now}.`);
  },
});

/** Resolves with what became due, once all webhooks are answered. An endpoint may take 30 seconds for each attempt. */
export function advance(duration: string | number, url?: URL) {
  type Advanced = { now: string; happened: SandboxEvent[] };
  return control<Advanced>("clock/advance", { url, body: { duration }, limitMs: 290_000 });
}

export const resendCommand = defineCommand({
  name: "resend",
  brief: "Resend a webhook of a running sandbox.",
  description:
    "Resends a webhook with a new signature, and prints the response. settlekit events --type webhook.created and the inspector show the ids of deliveries.",
  examples: ["settlekit resend DELIVERY_ID"],
  options: {
    deliveryId: operand("DELIVERY_ID", "Id of the delivery, or of one of its attempts."),
    ...controlOptions,
  },
  async run({ deliveryId, url }, terminal) {
    const delivery = await resend(deliveryId, url);
    const [attempt] = delivery.attempts;
    const outcome = attempt?.status ?? attempt?.error;
    terminal.result(delivery, `${delivery.event}  ${delivery.status}  ${outcome}`);
    return attempt && exitCodeFor(answerTo(attempt));
  },
});

export function resend(deliveryId: string, url?: URL): Promise<WebhookDelivery> {
  return control(`deliveries/${encodeURIComponent(deliveryId)}/replay`, { url, body: {} });
}

export const eventsCommand = defineCommand({
  name: "events",
  brief: "Print what happened in a running sandbox.",
  description:
    "Prints the requests, changes and deliveries of a running sandbox: the latest ones or, with --follow, new ones as they happen. Filters can be combined.",
  examples: [
    "settlekit events --order-id order_1",
    "settlekit events --type payment --status completed",
  ],
  options: {
    follow: toggle("--follow", "Print events as they happen, until Ctrl-C."),
    type: setting(
      "--type TYPE",
      "Only events of this type, such as webhook.attempted, or of this kind, such as payment.",
      oneOf([...new Set(eventTypes.flatMap((type) => [type.replace(/\..*/, ""), type]))]),
    ).optional(),
    orderId: setting(
      "--order-id ID",
      "Only events of this order's payments and withdrawals.",
    ).optional(),
    status: setting("--status STATUS", "Only events with this status.").optional(),
    ...controlOptions,
  },
  async run({ follow, url, type = "", orderId, status }, terminal) {
    const matches = (event: SandboxEvent) => {
      const of: Readonly<Record<string, unknown>> = { ...event };
      const isOfType = `${event.type}.`.startsWith(type && `${type}.`);
      const isOfOrder = orderId === undefined || of.orderId === orderId;
      return isOfType && isOfOrder && (status === undefined || String(of.status) === status);
    };
    const print = (event: SandboxEvent) =>
      matches(event) && printEvent(event, terminal.result, { isAsked: type !== "" });
    const printInOrder = terminal.asJson ? print : requestsFirst(print);
    if (!follow) {
      const { data } = await control<{ data: SandboxEvent[] }>("timeline", { url });
      for (const event of data) print(event);
      if (!data.some(matches)) terminal.say("No events.");
      return undefined;
    }
    const printAll = async () => {
      for await (const event of eventsOf(url)) printInOrder(event);
      terminal.say("The sandbox has stopped.");
      return exitCodes.ok;
    };
    return Promise.race([printAll(), untilStopped()]);
  },
});
