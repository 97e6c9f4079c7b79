import { type PostAnswer, post } from "../../sandbox/webhooks/webhook-post.ts";
import { signWebhook } from "../../webhooks/index.ts";
import { webhookEventNames } from "../../wire/webhook-event.ts";
import { defineCommand } from "../arguments/command.ts";
import { dotenvOption, loadDotenv } from "../arguments/dotenv.ts";
import { nearest } from "../arguments/nearest.ts";
import { urlFrom } from "../arguments/option-values.ts";
import { UsageError } from "../arguments/usage-error.ts";
import { sampleData } from "../delivery/sample-data.ts";
import { setPath } from "../delivery/set-path.ts";
import { webhookOptions, webhookSecretFrom } from "../delivery/webhook-options.ts";
import { exitCodes } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";
import { durationText } from "../time-text.ts";

/** Any other name is sent too. */
const eventNames: readonly string[] = webhookEventNames;

export const triggerCommand = defineCommand({
  name: "trigger",
  operands: "<event>",
  description: [
    "Sends a signed webhook to your endpoint, as the service would, and prints the answer.",
    `Events: ${eventNames.join(", ")}.`,
    "Any other name is sent too.",
  ],
  options: {
    to: {
      value: "<url>",
      description: "Your endpoint. Exactly this URL; redirects are not followed.",
    },
    status: {
      value: "<status>",
      description: "Default pending for what is created, completed for what is updated.",
    },
    "order-id": { value: "<id>", description: "Default order_1." },
    set: {
      value: "<path=value>",
      multiple: true,
      description: "Sets a field of the event's data: a path with dots; JSON, or else text.",
    },
    ...webhookOptions,
    ...dotenvOption,
    json: { description: "Print what was sent and answered as JSON on stdout, and no prose." },
  },
  examples: [
    "settlekit trigger payment.updated --to http://127.0.0.1:3000/webhooks --order-id order_7",
    "settlekit trigger payment.updated --to http://127.0.0.1:3000/webhooks --set amountInCents=990",
  ],
  async run({ values, operands, terminal }) {
    loadDotenv(values.dotenv);
    const event = eventFrom(operands);
    if (values.to === undefined) {
      throw new UsageError(
        "Say where to send it: --to <url>, such as http://127.0.0.1:3000/webhooks.",
      );
    }
    const url = urlFrom("--to", values.to);
    const data = sampleData({ event, status: values.status, orderId: values["order-id"] });
    for (const assignment of values.set) setPath(data, assignment);
    const { body, headers } = signWebhook({
      event: { event, data },
      secret: webhookSecretFrom(values.secret),
      headerPrefix: values["header-prefix"],
    });

    if (!values.json) introduce(event, url, terminal);
    const answer = await post({
      url,
      headers: Object.entries(headers).flat(),
      body: Buffer.from(body),
    }).catch((error: Error) => ({ error: error.message }));
    if (values.json) terminal.json({ type: "sent", url: url.href, event, data, ...answer });
    if ("error" in answer) {
      terminal.say(`settlekit: ${url.href} gave no answer: ${answer.error}.`);
      return exitCodes.network;
    }
    if (!values.json) tell(answer, terminal);
    return exitCodeFor(answer.status);
  },
});

function eventFrom(operands: readonly string[]): string {
  const [event, ...others] = operands;
  if (event !== undefined && event !== "" && others.length === 0) return event;
  throw new UsageError(`Name one event: ${eventNames.join(", ")}.`);
}

function introduce(event: string, url: URL, { say, paint }: Terminal): void {
  say(`${paint("bold", event)} → ${url.href}`);
  if (eventNames.includes(event)) return;
  const near = nearest(event, eventNames);
  const guess = near === undefined ? "" : ` Did you mean ${near}?`;
  const label = paint("yellow", "Warning:");
  say(`${label} the service has no event of this name.${guess} It has ${eventNames.join(", ")}.`);
}

function tell({ status, body, durationMs }: PostAnswer, { say, paint }: Terminal): void {
  const isFine = exitCodeFor(status) === exitCodes.fine;
  say(`${paint(isFine ? "green" : "red", `answered ${status}`)} in ${durationText(durationMs)}`);
  const meaning = meaningOf(status);
  if (meaning !== undefined) say(meaning);
  // Set apart, so that no line of it passes for one of ours.
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
  if (status >= 200 && status < 300) return exitCodes.fine;
  return status === 401 || status === 403 ? exitCodes.authentication : exitCodes.api;
}
