import { randomUUID } from "node:crypto";
import { message, text } from "@optique/core/message";
import { argument } from "@optique/core/primitives";
import type { WebhookDelivery } from "../sandbox/index.ts";
import { type PostAnswer, post } from "../sandbox/webhooks/endpoint.ts";
import { isRecord, misspeltEvent, parsedJson, show } from "../values.ts";
import { eventNames } from "../webhooks/event.ts";
import { signWebhook } from "../webhooks/index.ts";
import { webhookEventNames } from "../wire/webhook-event.ts";
import { defineCommand, readBy, setting, toggle } from "./command.ts";
import { outcomes } from "./control.ts";
import { exitCodes, UsageError } from "./exit-codes.ts";
import { serviceOptions, textSuchAs, webhookSecret, webhookSecretFrom, webUrl } from "./options.ts";
import { control, sandboxUrl } from "./running-sandbox.ts";
import { durationText, paint, type Terminal } from "./terminal.ts";

const sandboxEvents: readonly string[] = webhookEventNames;
const eventList = text(sandboxEvents.join(", "));

export const triggerCommand = defineCommand({
  name: "trigger",
  brief: "Trigger a webhook in a sandbox, or send an invented one.",
  description:
    "Creates a payment or withdrawal in a running sandbox and moves it to the status, so that your endpoint can fetch the object that the webhook is about. With --to, the webhook is also sent there, and the response is printed. With --detached, no sandbox is involved: the object is invented.",
  examples: [
    "settlekit trigger payment.updated --status failed",
    "settlekit trigger payment.updated --detached --to http://127.0.0.1:3000/webhooks --set amountInCents=990",
  ],
  options: {
    event: argument(
      { ...textSuchAs(sandboxEvents), metavar: "EVENT" },
      {
        description: message`${eventList}; with --detached any other name, too.`,
        errors: { endOfInput: message`Name one event: ${eventList}.` },
      },
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
    orderId: setting("--order-id ID", "The order.").withDefault("order_1"),
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
    const signingSecret = to && webhookSecretFrom(secret);
    const status = values.status ?? (event.endsWith(".created") ? "pending" : "completed");
    const owner = { orderId, ...(merchantId && { merchantId }) };
    const delivery = detached ? undefined : await createdDelivery(event, status, owner, url);
    const data: EventData = { ...(delivery?.data ?? inventedData(event, status, owner)) };
    for (const assignment of assignments) assign(data, assignment);
    if (to === undefined || signingSecret === undefined) {
      const line = `${event}  ${data.status}  ${data.orderId}  ${data.id}`;
      terminal.result({ type: "created", event, data }, line);
      if (delivery?.status === "recorded") {
        terminal.warn(
          "Nothing was sent: the sandbox has no --webhook-url. Restart it with one, or pass --to.",
        );
      }
      return;
    }
    const { body, headers } = signWebhook({
      event: { event, data },
      secret: signingSecret,
      headerPrefix: values.headerPrefix,
    });
    terminal.say(`${paint("bold", event)}${detached ? " (invented)" : ""} → ${to.href}`);
    if (!eventNames.includes(event)) {
      const fact = misspeltEvent(event, eventNames) ?? `The event ${show(event)} is not known.`;
      terminal.warn(`${fact} The known events are ${eventNames.join(", ")}.`);
    }
    const answer = await post({
      url: to,
      headers: Object.entries(headers).flat(),
      body: Buffer.from(body),
    }).catch((error: Error) => ({ error: error.message }));
    terminal.report({ type: "sent", url: to.href, event, data, detached, ...answer });
    if ("error" in answer) {
      terminal.fail(`${to.href} did not respond: ${answer.error}.`);
      return exitCodes.network;
    }
    printAnswer(answer, terminal);
    return exitCodeFor(answer.status);
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

/** Creates the object in the sandbox, moves it, and returns the delivery of the sandbox's webhook. */
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
  const created = await control<EventData>(url, kind, { ...samples[kind], ...owner });
  const id = String(created.paymentId ?? created.id);
  for (const scenario of scenariosTo(status, kind)) {
    await control(url, `${kind}/${id}/simulate`, { scenario });
  }
  const { data: deliveries } = await control<{ data: WebhookDelivery[] }>(url, "deliveries");
  const delivery = deliveries.findLast((it) => it.event === event && it.data.id === id);
  if (delivery === undefined) throw new Error(`The sandbox has no ${event} of ${id}.`);
  return delivery;
}

const samples: Readonly<Record<string, object>> = {
  payments: { amount: 2500 },
  withdrawals: {
    amountInCents: 2500,
    chainId: 84_532,
    recipientAddress: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  },
};

function printAnswer({ status, body, durationMs }: PostAnswer, { say }: Terminal): void {
  const isFine = exitCodeFor(status) === exitCodes.ok;
  say(`${paint(isFine ? "green" : "red", `answered ${status}`)} in ${durationText(durationMs)}`);
  if (status === 401) {
    say("The endpoint did not accept the signature: compare the secrets on both sides.");
  } else if (status >= 300 && status < 400) {
    say("Redirects are not followed: pass the final URL to --to.");
  }
  // Indented, so that none of its lines passes for one of ours.
  for (const line of body.trim() === "" ? [] : body.trimEnd().split(/\r?\n/)) say(`  ${line}`);
}

function exitCodeFor(status: number): number {
  if (status >= 200 && status < 300) return exitCodes.ok;
  return status === 401 || status === 403 ? exitCodes.authentication : exitCodes.api;
}

/** One `--set` option. */
interface Assignment {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Names that reach prototypes, which objects share. */
const forbidden: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Reads `amountInCents=2500` or `receipt.txHash=0xab`. A JSON value is read as JSON, anything else as text.
 *
 * @throws {UsageError} The text is not an assignment.
 */
export function assignmentFrom(input: string): Assignment {
  const [, names = "", value = ""] = /^([^=]+)=(.*)$/s.exec(input) ?? [];
  const path = names.split(".");
  if (path.includes("")) {
    throw new UsageError(
      `Expected a path, = and a value, such as amountInCents=2500; got ${show(input)}.`,
    );
  }
  const banned = path.find((name) => forbidden.has(name));
  if (banned !== undefined) throw new UsageError(`${show(banned)} cannot be set.`);
  const json = parsedJson(value);
  return { path, value: json === undefined ? value : json };
}

/** @throws {UsageError} The path leads through something that is not an object. */
export function assign(target: Record<string, unknown>, { path, value }: Assignment): void {
  let object = target;
  for (const name of path.slice(0, -1)) {
    // Inherited members are shared with every other object, so only own members count.
    const next = Object.hasOwn(object, name) ? object[name] : {};
    if (!isRecord(next)) {
      throw new UsageError(
        `--set ${path.join(".")}: ${show(name)} is not an object, so it has no fields.`,
      );
    }
    object[name] = next;
    object = next;
  }
  object[path.at(-1) ?? ""] = value;
}
