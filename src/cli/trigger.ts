import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { NotFoundError } from "../errors.ts";
import type { WebhookDelivery } from "../sandbox/index.ts";
import { misspeltEvent, show } from "../values.ts";
import { eventNames } from "../webhooks/event.ts";
import { signWebhook } from "../webhooks/index.ts";
import { webhookEventNames } from "../wire/webhook-event.ts";
import { assign, assignmentFrom } from "./assignments.ts";
import { defineCommand, operand, readBy, setting, toggle } from "./command.ts";
import { outcomes } from "./control.ts";
import {
  answerTo,
  type EndpointAnswer,
  exitCodeFor,
  responseLines,
  send,
} from "./endpoint-answer.ts";
import { exitCodes, UsageError } from "./exit-codes.ts";
import { secretFrom, serviceOptions, textSuchAs, webhookSecret, webUrl } from "./options.ts";
import { control, sandboxUrl } from "./running-sandbox.ts";
import { paint, type Terminal } from "./terminal.ts";

const sandboxEvents: readonly string[] = webhookEventNames;

export const triggerCommand = defineCommand({
  name: "trigger",
  brief: "Trigger a webhook in a sandbox, or send an invented one.",
  description:
    "Creates a payment or withdrawal in a running sandbox and moves it to the status, so that your endpoint can fetch the object that the webhook is about. The sandbox sends the webhook to its --webhook-url; with --to, trigger also sends it there. Prints the response. The exit code is 0 if the endpoint accepts the webhook or nothing is sent, 3 if it answers 401 or 403, 5 for any other response, and 4 if there is none. With --detached, no sandbox is involved: the object is invented.",
  examples: [
    "settlekit trigger payment.updated --status failed",
    "settlekit trigger payment.updated --detached --to http://127.0.0.1:3000/webhooks --set amountInCents=990",
  ],
  options: {
    event: operand(
      "EVENT",
      `${sandboxEvents.join(", ")}; with --detached any other name, too.`,
      textSuchAs(sandboxEvents),
    ),
    to: setting(
      "--to URL",
      "Your endpoint. Exactly this URL; redirects are not followed. Default: the sandbox's --webhook-url.",
      webUrl,
    ).optional(),
    status: setting(
      "--status STATUS",
      "Default: pending for created events, completed for updated ones.",
    ).optional(),
    orderId: setting("--order-id ID", "The order. Default: order_1.").withDefault("order_1"),
    merchantId: setting(
      "--merchant-id ID",
      "The merchant, if the sandbox has several. With --to, pass its --secret, too. Default: the first.",
    ).optional(),
    detached: toggle("--detached", "Invent the object instead of creating it in a sandbox."),
    assignments: setting(
      "--set PATH=VALUE",
      "With --detached, sets a field of the event's data, such as receipt.txHash=0xab. A value that is not JSON is text. May be repeated.",
      readBy(assignmentFrom),
    ).multiple(),
    url: sandboxUrl,
    secret: webhookSecret,
    ...serviceOptions,
  },
  async run(values, terminal) {
    const { event, to, orderId, merchantId, detached, assignments, url, secret } = values;
    if (detached && to === undefined) {
      throw new UsageError("--detached needs --to URL, because no sandbox sends the webhook.");
    }
    if (detached && url !== undefined) {
      throw new UsageError("Leave out --url: --detached uses no sandbox.");
    }
    if (!detached && assignments.length > 0) {
      throw new UsageError("--set needs --detached, because a sandbox sends its own object.");
    }
    if (to === undefined && secret !== undefined) {
      throw new UsageError(
        "Pass --to URL as well, or leave out --secret: a sandbox signs its webhooks with its own.",
      );
    }
    const status = values.status ?? (event.endsWith(".created") ? "pending" : "completed");
    const owner = { orderId, ...(merchantId && { merchantId }) };
    const create = () => createdDelivery(event, status, owner, url);
    if (to === undefined) return reportDelivery(await create(), terminal);
    const signing = { secret: secretFrom(secret, "webhook"), headerPrefix: values.headerPrefix };
    const data: EventData = detached
      ? inventedData(event, status, owner)
      : { ...(await create()).data };
    for (const assignment of assignments) assign(data, assignment);
    const { body, headers } = signWebhook({ event: { event, data }, ...signing });
    terminal.say(`${paint("bold", event)}${detached ? " (invented)" : ""} → ${to.href}`);
    if (!eventNames.includes(event)) {
      const fact = misspeltEvent(event, eventNames) ?? `The event ${show(event)} is not known.`;
      terminal.warn(`${fact} The known events are ${eventNames.join(", ")}.`);
    }
    const sent = Object.entries(headers).flat();
    const answer = await send({ url: to, headers: sent, body: Buffer.from(body) });
    terminal.report({ type: "sent", url: to.href, event, data, detached, ...answer });
    return reportAnswer(to.href, answer, terminal);
  },
});

type EventData = Record<string, unknown>;

/** The fields of the documented form and of the published snapshot. */
function inventedData(event: string, status: string, owner: object): EventData {
  return {
    id: randomUUID(),
    ...(event.startsWith("payment.") && { type: "payment" }),
    merchantId: randomUUID(),
    amountInCents: 2500,
    currency: "USD",
    status,
    ...owner,
    createdAt: new Date().toISOString(),
  };
}

/** The scenarios that take a new payment or withdrawal to a status, in order. */
function scenariosTo(status: string, kind: keyof typeof outcomes): string[] {
  const leading = Object.entries(outcomes[kind]).find(([, outcome]) => outcome.status === status);
  if (leading === undefined) return [];
  const [scenario, { from }] = leading;
  return [...scenariosTo(from[0] ?? "", kind), scenario];
}

/** Creates the object in the sandbox, moves it, and returns the delivery of the sandbox's webhook after its first attempt. */
async function createdDelivery(event: string, status: string, owner: object, url: URL | undefined) {
  const environment = process.env.SETTLEKIT_ENVIRONMENT || "sandbox";
  if (environment !== "sandbox") {
    throw new UsageError(
      `SETTLEKIT_ENVIRONMENT is ${show(environment)}, where trigger creates nothing. Pass --detached to send an ` +
        "invented event, or set it to sandbox.",
    );
  }
  if (!sandboxEvents.includes(event)) {
    const guess = misspeltEvent(event, eventNames) ?? "";
    const fact = `A sandbox sends only ${sandboxEvents.join(", ")}.`;
    throw new UsageError(`${guess} ${fact} Pass --detached to send this one.`.trimStart());
  }
  const kind = event.startsWith("payment.") ? "payments" : "withdrawals";
  const reachable = new Set(Object.values(outcomes[kind]).map(({ status }) => status));
  const statuses: string[] = event.endsWith(".created") ? ["pending"] : [...reachable];
  if (!statuses.includes(status)) {
    throw new UsageError(
      `A sandbox has no ${event} with the status ${show(status)}, only with ${statuses.join(", ")}. Pass ` +
        "--detached to send it anyway.",
    );
  }
  const created = await control<EventData>(kind, { url, body: { ...samples[kind], ...owner } });
  const id = String(created.paymentId ?? created.id);
  for (const scenario of scenariosTo(status, kind)) {
    await control(`${kind}/${id}/simulate`, { url, body: { scenario } });
  }
  for (;;) {
    const { data: deliveries } = await control<{ data: WebhookDelivery[] }>("deliveries", { url });
    const delivery = deliveries.findLast((it) => it.event === event && it.data.id === id);
    if (delivery === undefined) {
      const message = `The sandbox has no ${event} of ${id}: it was reset meanwhile. Run the command again.`;
      throw new NotFoundError(message, { code: "not_found", status: 404, outcome: "unknown" });
    }
    const { status, attempts, nextAttemptAt } = delivery;
    if (status !== "pending" || attempts.length > 0 || nextAttemptAt !== null) return delivery;
    // The endpoint may take 30 seconds to respond.
    await setTimeout(100);
  }
}

const samples: Readonly<Record<string, object>> = {
  payments: { amount: 2500 },
  withdrawals: {
    amountInCents: 2500,
    chainId: 84_532,
    recipientAddress: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  },
};

/** Reports the sandbox's webhook, and how its endpoint answered. */
function reportDelivery(
  { event, data, attempts, nextAttemptAt }: WebhookDelivery,
  terminal: Terminal,
): number {
  const line = `${event}  ${data.status}  ${data.orderId}  ${data.id}`;
  const [attempt] = attempts;
  if (attempt === undefined) {
    terminal.result({ type: "created", event, data }, line);
    terminal.warn(
      nextAttemptAt === null
        ? "Nothing was sent: the sandbox has no --webhook-url. Restart it with one, or pass --to."
        : `Nothing was sent yet: a disorder of the sandbox holds the webhook back until ${nextAttemptAt}.`,
    );
    return exitCodes.ok;
  }
  const { url } = attempt.request;
  const answer = answerTo(attempt);
  terminal.result({ type: "sent", url, event, data, detached: false, ...answer }, line);
  terminal.say(`${paint("bold", event)} → ${url}`);
  return reportAnswer(url, answer, terminal);
}

/** Returns the exit code. */
function reportAnswer(url: string, answer: EndpointAnswer, { say, fail }: Terminal): number {
  if ("error" in answer) fail(`${url} did not respond: ${answer.error}.`);
  else {
    const [outcome, ...cures] = responseLines(answer);
    const body = answer.body.trimEnd();
    // Indented, so that none of its lines passes for one of ours.
    const lines = body === "" ? [] : body.split(/\r?\n/).map((line) => `  ${line}`);
    say(`answered ${outcome}`, ...cures, ...lines);
  }
  return exitCodeFor(answer);
}
