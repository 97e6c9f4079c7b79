import { getRequestListener, type HttpBindings } from "@hono/node-server";
import type { SandboxServer } from "../sandbox/index.ts";
import { serve } from "../sandbox/server.ts";
import { type PostAnswer, post } from "../sandbox/webhooks/endpoint.ts";
import {
  type Webhook,
  type WebhookFailureReason,
  type Webhooks,
  WebhookVerificationError,
} from "../webhooks/index.ts";
import { refusalStatus } from "../webhooks/receiver.ts";

/** The result of one request to `settlekit listen`. */
export type Reception = { readonly answered: number } & (
  | { readonly ok: true; readonly webhook: Webhook; readonly forwarded: Forwarded | null }
  | {
      readonly ok: false;
      readonly reason: WebhookFailureReason | "method_not_allowed";
      readonly message: string;
    }
);

type Forwarded = PostAnswer | { readonly error: string };

interface ReceiverOptions {
  readonly webhooks: Webhooks;
  readonly forwardTo: URL | undefined;
  /** Which events to forward and report; all if there are none. */
  readonly events: readonly string[];
  readonly onReception: (reception: Reception) => void;
}

/**
 * Receives webhooks at any path and forwards authentic ones. The sender gets the endpoint's status, so that it
 * redelivers whatever was not accepted.
 *
 * @throws {ConfigurationError} Nothing can listen there.
 */
export function receiveWebhooks(
  options: ReceiverOptions,
  port: number,
  host: string,
): Promise<SandboxServer> {
  const answer = async (request: Request, env: unknown) => {
    const { rawHeaders } = (env as HttpBindings).incoming;
    const reception = await receive(request, rawHeaders, options);
    const isAsked = !reception.ok || isAmong(options.events, reception.webhook);
    // A sender that disconnected sees no response, and there is nothing to report.
    if (isAsked && !request.signal.aborted) options.onReception(reception);
    const { answered: status } = reception;
    return new Response(null, { status, headers: status === 405 ? { Allow: "POST" } : {} });
  };
  // Otherwise the adapter would replace the process's own Request and Response.
  const listener = getRequestListener(answer, { overrideGlobalObjects: false });
  return serve(listener, port, host);
}

async function receive(
  request: Request,
  rawHeaders: readonly string[],
  { webhooks, forwardTo, events }: ReceiverOptions,
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
  if (forwardTo === undefined || !isAmong(events, webhook)) {
    return { ok: true, answered: 200, webhook, forwarded: null };
  }
  const headers = forwardableHeaders(rawHeaders);
  const body = Buffer.from(webhook.rawBody);
  const forwarded = await post({ url: forwardTo, headers, body }).catch(
    ({ message }: Error): Forwarded => ({ error: message }),
  );
  const answered = "error" in forwarded ? 502 : forwarded.status;
  return { ok: true, answered, webhook, forwarded };
}

function isAmong(events: readonly string[], { event }: Webhook): boolean {
  return events.length === 0 || events.includes(event);
}

const clockCure =
  "If a sandbox sent this, its clock was probably frozen (--now) or advanced: then listen with " +
  "--tolerance Infinity.";

/** Headers that belong to one connection, or are set again for the next one. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * The end-to-end headers of a request, in its own order and spelling.
 *
 * @param rawHeaders Alternating names and values.
 */
export function forwardableHeaders(rawHeaders: readonly string[]): string[] {
  const nameAt = (index: number) => rawHeaders[index - (index % 2)]?.toLowerCase() ?? "";
  const named = rawHeaders
    .filter((_, index) => index % 2 === 1 && nameAt(index) === "connection")
    .flatMap((value) => value.toLowerCase().split(","))
    .map((name) => name.trim());
  const isHopByHop = (name: string) => hopByHop.has(name) || named.includes(name);
  return rawHeaders.filter((_, index) => !isHopByHop(nameAt(index)));
}
