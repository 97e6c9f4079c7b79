import { randomUUID } from "node:crypto";
import { object } from "@optique/core/constructs";
import { message, text } from "@optique/core/message";
import { argument } from "@optique/core/primitives";
import { type PostAnswer, post } from "../sandbox/webhooks/endpoint.ts";
import { isRecord, nearest, show } from "../values.ts";
import { signWebhook } from "../webhooks/index.ts";
import { webhookEventNames } from "../wire/webhook-event.ts";
import { exitCodes, UsageError } from "./exit-codes.ts";
import {
  defineCommand,
  dotenv,
  headerPrefix,
  json,
  loadVariables,
  readBy,
  setting,
  webhookSecret,
  webhookSecretFrom,
  webUrl,
  word,
} from "./options.ts";
import { durationText, type Terminal } from "./terminal.ts";

/** Any other name is sent, too. */
const eventNames: readonly string[] = webhookEventNames;
const eventList = text(eventNames.join(", "));

export const triggerCommand = defineCommand({
  name: "trigger",
  brief: message`Send a signed webhook to your endpoint.`,
  description: message`Sends a signed webhook to your endpoint, as the service would, and prints the answer. The events are ${eventList}. Any other name is sent, too.`,
  examples: [
    "settlekit trigger payment.updated --to http://127.0.0.1:3000/webhooks --order-id order_7",
    "settlekit trigger payment.updated --to http://127.0.0.1:3000/webhooks --set amountInCents=990",
  ],
  options: object("Options", {
    event: argument(word("EVENT"), {
      description: message`${eventList}, or any other name.`,
      errors: { endOfInput: message`Name one event: ${eventList}.` },
    }),
    to: setting(
      "--to",
      webUrl,
      message`Your endpoint. Exactly this URL; redirects are not followed.`,
    ),
    status: setting(
      "--status",
      word("STATUS"),
      message`Default: pending for what is created, completed for what is updated.`,
    ).optional(),
    orderId: setting("--order-id", word("ID"), message`The order.`).withDefault("order_1"),
    assignments: setting(
      "--set",
      readBy<Assignment>("PATH=VALUE", { path: [], value: null }, assignmentFrom),
      message`Sets a field of the event's data: a path with dots, and JSON, or else text. May be repeated.`,
    ).multiple(),
    secret: webhookSecret,
    headerPrefix,
    dotenv,
    json,
  }),
  async run({ event, to, assignments, secret, headerPrefix, dotenv, json, ...said }, terminal) {
    loadVariables(dotenv, terminal);
    const data = sampleData(event, said);
    for (const assignment of assignments) assign(data, assignment);
    const { body, headers } = signWebhook({
      event: { event, data },
      secret: webhookSecretFrom(secret, terminal),
      headerPrefix,
    });

    if (!json) introduce(event, to, terminal);
    const answer = await post({
      url: to,
      headers: Object.entries(headers).flat(),
      body: Buffer.from(body),
    }).catch((error: Error) => ({ error: error.message }));
    if (json) terminal.json({ type: "sent", url: to.href, event, data, ...answer });
    if ("error" in answer) {
      terminal.say(`settlekit: ${to.href} gave no answer: ${answer.error}.`);
      return exitCodes.network;
    }
    if (!json) tell(answer, terminal);
    return exitCodeFor(answer.status);
  },
});

/** What an event could contain: the documented fields, and the snapshot that is published beside them. */
function sampleData(
  event: string,
  { status, orderId }: { readonly status: string | undefined; readonly orderId: string },
): Record<string, unknown> {
  return {
    id: randomUUID(),
    ...(event.startsWith("payment.") && { type: "payment" }),
    merchantId: randomUUID(),
    amountInCents: 2500,
    currency: "USD",
    status: status ?? (event.endsWith(".created") ? "pending" : "completed"),
    orderId,
    createdAt: new Date().toISOString(),
  };
}

/** One `--set`. */
interface Assignment {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Names that lead out of an object, to what all objects share. */
const forbidden: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Reads `amountInCents=2500` or `receipt.txHash=0xab`. A value that is JSON is read as JSON, anything
 * else as text.
 *
 * @throws {UsageError} The text sets nothing.
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
  return { path, value: jsonOrText(value) };
}

/** @throws {UsageError} The path leads through something that is not an object. */
export function assign(target: Record<string, unknown>, { path, value }: Assignment): void {
  const names = [...path];
  const last = names.pop() ?? "";
  let object = target;
  for (const name of names) {
    // An inherited member is shared with every other object, so only own ones count.
    const next = Object.hasOwn(object, name) ? object[name] : {};
    if (!isRecord(next)) {
      throw new UsageError(
        `--set ${path.join(".")}: ${show(name)} is not an object, so it has no fields.`,
      );
    }
    object[name] = next;
    object = next;
  }
  object[last] = value;
}

function jsonOrText(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function introduce(event: string, url: URL, { say, warn, paint }: Terminal): void {
  say(`${paint("bold", event)} → ${url.href}`);
  if (eventNames.includes(event)) return;
  const near = nearest(event, eventNames);
  const guess = near === undefined ? "" : ` Did you mean ${near}?`;
  warn(`the service has no event of this name.${guess} It has ${eventNames.join(", ")}.`);
}

function tell({ status, body, durationMs }: PostAnswer, { say, paint }: Terminal): void {
  const isFine = exitCodeFor(status) === exitCodes.ok;
  say(`${paint(isFine ? "green" : "red", `answered ${status}`)} in ${durationText(durationMs)}`);
  const meaning = meaningOf(status);
  if (meaning !== undefined) say(meaning);
  // Indented, so that no line of it passes for one of ours.
  for (const line of body.trim() === "" ? [] : body.trimEnd().split(/\r?\n/)) say(`  ${line}`);
}

function meaningOf(status: number): string | undefined {
  if (status === 401) {
    return "The endpoint did not accept the signature: compare the secrets on both sides.";
  }
  if (status >= 300 && status < 400) {
    return "Webhooks follow no redirect: give the URL that it points to.";
  }
  return undefined;
}

function exitCodeFor(status: number): number {
  if (status >= 200 && status < 300) return exitCodes.ok;
  return status === 401 || status === 403 ? exitCodes.authentication : exitCodes.api;
}
