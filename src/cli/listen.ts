import { float } from "@optique/core/valueparser";
import { isLoopback } from "../http/base-url.ts";
import { misspeltEvent } from "../values.ts";
import { eventNames } from "../webhooks/event.ts";
import { type Webhook, Webhooks, WebhookVerificationError } from "../webhooks/index.ts";
import { refusalStatus } from "../webhooks/receiver.ts";
import { defineCommand, setting } from "./command.ts";
import { type EndpointAnswer, responseLines, send } from "./endpoint-answer.ts";
import { UsageError } from "./exit-codes.ts";
import { listenOptions, secretFrom, serviceOptions, webhookSecret, webUrl } from "./options.ts";
import { paint, timeOfDay, untilStopped } from "./terminal.ts";

export const listenCommand = defineCommand({
  name: "listen",
  brief: "Receive, verify, print and forward webhooks.",
  description:
    "Receives webhooks on this machine, at any path, verifies and prints them, and says why a signature fails. It opens no tunnel. With --forward-to, authentic webhooks are forwarded to your endpoint, body and headers unchanged, and the sender gets your endpoint's status. The secret is never printed. Ctrl-C stops it.",
  examples: [
    "settlekit listen --forward-to http://127.0.0.1:3000/webhooks",
    "settlekit listen --events payment.updated --json",
  ],
  options: {
    ...listenOptions(4011),
    forwardTo: setting(
      "--forward-to URL",
      "Your endpoint. Exactly this URL; redirects are not followed.",
      webUrl,
    ).optional(),
    events: setting(
      "--events EVENT",
      "Print and forward this event only. May be repeated. Others get a 200.",
    ).multiple(),
    secret: webhookSecret,
    tolerance: setting(
      "--tolerance SECONDS",
      "How old a webhook may be, or how far in the future; Infinity for any age. Default: 300.",
      float({ min: 0, allowInfinity: true }),
    ).withDefault(300),
    ...serviceOptions,
  },
  async run({ port, host, forwardTo, events, secret, headerPrefix, tolerance }, terminal) {
    for (const event of events) {
      const problem = misspeltEvent(event, eventNames);
      if (problem) terminal.warn(`\`--events\`: ${problem}`);
    }
    const webhooks = new Webhooks({
      secret: secretFrom(secret, "webhook"),
      headerPrefix,
      toleranceSeconds: tolerance,
    });
    const isAsked = ({ event }: Webhook) => events.length === 0 || events.includes(event);
    const stopped = untilStopped();
    // Loaded late, so that every other command starts faster.
    const { serve } = await import("../sandbox/server.ts");
    const answer: Parameters<typeof serve>[0] = async (request, { incoming }) => {
      const reception = await receive(request, webhooks, async (webhook) => {
        if (forwardTo === undefined || !isAsked(webhook)) return null;
        const headers = forwardableHeaders(incoming.rawHeaders);
        return send({ url: forwardTo, headers, body: Buffer.from(webhook.rawBody) });
      });
      // A sender that disconnected sees no response, and there is nothing to report.
      if (!request.signal.aborted && (!reception.ok || isAsked(reception.webhook))) {
        terminal.report(receptionRecord(reception), ...receptionLines(reception));
      }
      const { answered: status } = reception;
      return new Response(null, { status, headers: status === 405 ? { Allow: "POST" } : {} });
    };
    await using server = await serve(answer, port, host);
    if (forwardTo && isSame(forwardTo, new URL(server.url))) {
      throw new UsageError(
        `--forward-to is the address of listen itself, ${server.url}. Pass your server's.`,
      );
    }

    if (!isLoopback(host)) {
      terminal.warn(
        `Listening on ${host}: every machine that reaches this one can send requests here. Only ` +
          "signed webhooks are forwarded.",
      );
    }
    terminal.report(
      { url: server.url },
      `Listening for webhooks at ${paint("bold", server.url)}`,
      ...(forwardTo ? [`Forwarding them to ${forwardTo.href}`] : []),
      paint("dim", "Ctrl-C stops it."),
    );
    return await stopped;
  },
});

/** Whether requests to a URL would come back to the listener. */
function isSame({ hostname, port }: URL, listener: URL): boolean {
  return port === listener.port && (isLoopback(hostname) || hostname === listener.hostname);
}

function receptionRecord(reception: Reception): object {
  const record = { type: "webhook", at: new Date().toISOString(), ok: reception.ok };
  if (!reception.ok) return { ...record, ...reception };
  const { webhook, answered, forwarded } = reception;
  return { ...record, answered, ...JSON.parse(JSON.stringify(webhook)), forwarded };
}

function receptionLines(reception: Reception): string[] {
  const time = paint("dim", timeOfDay());
  const below = (text: string) => `          ${text}`;
  if (!reception.ok) {
    const { reason, message, answered } = reception;
    return [`${time}  ${paint("red", `refused, ${reason}`)}, answered ${answered}`, below(message)];
  }
  const { webhook, forwarded } = reception;
  const { id, status: state, orderId } = webhook.data;
  const what = [webhook.event, state, orderId, id].filter((part) => typeof part === "string");
  const line = `${time}  ${paint("green", "verified")}  ${what.join("  ")}`;
  if (forwarded === null) return [line];
  if ("error" in forwarded) {
    return [line, below(paint("red", `not forwarded: ${forwarded.error}`))];
  }
  const [outcome, ...cures] = responseLines(forwarded);
  return [`${line}  → ${outcome}`, ...cures.map(below)];
}

/** `answered` is the status of the response. */
type Reception = { readonly answered: number } & (
  | { readonly ok: true; readonly webhook: Webhook; readonly forwarded: EndpointAnswer | null }
  | { readonly ok: false; readonly reason: string; readonly message: string }
);

/** The sender gets the endpoint's status, so that it redelivers whatever was not accepted. */
async function receive(
  request: Request,
  webhooks: Webhooks,
  forward: (webhook: Webhook) => Promise<EndpointAnswer | null>,
): Promise<Reception> {
  if (request.method !== "POST") {
    const message = `Webhooks are POST requests; this was ${request.method}.`;
    return { ok: false, answered: 405, reason: "method_not_allowed", message };
  }
  let webhook: Webhook;
  try {
    webhook = await webhooks.verify(request);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    const { reason } = error;
    const cure = /^timestamp_too_/.test(reason) ? ` ${clockCure}` : "";
    return { ok: false, answered: refusalStatus(error), reason, message: error.message + cure };
  }
  const forwarded = await forward(webhook);
  const status = forwarded === null ? 200 : "error" in forwarded ? 502 : forwarded.status;
  // Node reads statuses that no Response can have.
  const answered = status >= 200 && status <= 599 ? status : 502;
  return { ok: true, answered, webhook, forwarded };
}

const clockCure =
  "If a sandbox sent this, its clock was probably frozen (--now) or advanced: then listen with " +
  "--tolerance Infinity.";

/** Headers that belong to one connection, or are set again for the next one. */
const hopByHop =
  /^(?:connection|content-length|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

/**
 * The end-to-end headers of a request, in its own order and spelling.
 *
 * @param rawHeaders Alternating names and values.
 */
export function forwardableHeaders(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, index) => !hopByHop.test(rawHeaders[index - (index % 2)] ?? ""));
}
