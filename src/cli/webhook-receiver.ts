import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { serverUrl } from "../sandbox/server.ts";
import { type PostAnswer, post } from "../sandbox/webhooks/endpoint.ts";
import type { Webhook, WebhookFailureReason, Webhooks } from "../webhooks/index.ts";
import { UsageError } from "./exit-codes.ts";

/** What became of one request to `settlekit listen`. */
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

/** A server that runs until it is disposed of. */
interface Listening extends AsyncDisposable {
  readonly url: string;
}

/**
 * Receives webhooks at any path and forwards those that are authentic. The sender gets the status of the
 * endpoint behind it, so that it delivers again what was not accepted.
 *
 * @throws {UsageError} Nothing can listen there.
 */
export async function receiveWebhooks(
  options: ReceiverOptions,
  port: number,
  host: string,
): Promise<Listening> {
  const answer = async (request: Request, { rawHeaders }: IncomingMessage) => {
    const reception = await receive(request, rawHeaders, options);
    const isAsked = !reception.ok || isAmong(options.events, reception.webhook);
    // A sender that disconnected sees no answer, and there is nothing to report.
    if (isAsked && !request.signal.aborted) options.onReception(reception);
    const { answered: status } = reception;
    return new Response(null, { status, headers: status === 405 ? { Allow: "POST" } : {} });
  };
  // The adapter would otherwise replace the process's own Request and Response.
  const listener = getRequestListener(
    (request, env) => answer(request, (env as HttpBindings).incoming),
    { overrideGlobalObjects: false },
  );
  const server = createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once("error", ({ code, message }: NodeJS.ErrnoException) => {
      reject(
        new UsageError(
          code === "EADDRINUSE"
            ? `Port ${port} on ${host} is taken. Stop what listens there, or take any free port: --port 0`
            : `Nothing can listen on port ${port} of ${host}: ${message}. Choose others.`,
        ),
      );
    });
    server.listen(port, host, resolve);
  });
  return {
    url: serverUrl(server.address() as AddressInfo),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
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
  const result = await webhooks.safeVerify(request);
  if (!result.ok) {
    const { reason } = result;
    const isOfOtherTime = /^timestamp_too_/.test(reason);
    const message = isOfOtherTime ? `${result.message} ${clockCure}` : result.message;
    return { ok: false, reason, message, answered: refusalStatuses[reason] ?? 401 };
  }
  const { webhook } = result;
  if (forwardTo === undefined || !isAmong(events, webhook)) {
    return { ok: true, answered: 200, webhook, forwarded: null };
  }
  const headers = forwardableHeaders(rawHeaders);
  return post({ url: forwardTo, headers, body: Buffer.from(webhook.rawBody) }).then(
    (answer): Reception => ({ ok: true, answered: answer.status, webhook, forwarded: answer }),
    ({ message: error }: Error): Reception => ({
      ok: true,
      answered: 502,
      webhook,
      forwarded: { error },
    }),
  );
}

function isAmong(events: readonly string[], { event }: Webhook): boolean {
  return events.length === 0 || events.includes(event);
}

const refusalStatuses: Partial<Record<WebhookFailureReason, number>> = {
  body_timeout: 408,
  body_too_large: 413,
  invalid_json: 400,
  invalid_event: 400,
};

const clockCure =
  "If a sandbox sent this, its clock was probably frozen (--now) or advanced: then listen with " +
  "--tolerance Infinity.";

/** Headers that belong to one connection, or that are written anew for the next one. */
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
 * @param rawHeaders Names and values alternate.
 */
export function forwardableHeaders(rawHeaders: readonly string[]): string[] {
  const pairs: [name: string, value: string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    pairs.push([rawHeaders[index] ?? "", rawHeaders[index + 1] ?? ""]);
  }
  const named = pairs
    .filter(([name]) => name.toLowerCase() === "connection")
    .flatMap(([, value]) =>
      value
        .toLowerCase()
        .split(",")
        .map((name) => name.trim()),
    );
  const isHopByHop = (name: string) => hopByHop.has(name) || named.includes(name);
  return pairs.filter(([name]) => !isHopByHop(name.toLowerCase())).flat();
}
