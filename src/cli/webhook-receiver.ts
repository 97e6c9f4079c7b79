import type { IncomingMessage, RequestListener } from "node:http";
import { type PostAnswer, post } from "../sandbox/webhooks/endpoint.ts";
import type { Webhook, WebhookFailureReason, Webhooks } from "../webhooks/index.ts";

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
  readonly onReception: (reception: Reception) => void;
}

const maxBodyBytes = 1_048_576;

const clockCure =
  "If a sandbox sent this, its clock was probably frozen (--now) or advanced: then listen with " +
  "--tolerance Infinity.";

/**
 * Receives webhooks at any path and forwards those that are authentic. The sender gets the status of the
 * endpoint behind it, so that it delivers again what was not accepted.
 */
export function createReceiver(options: ReceiverOptions): RequestListener {
  return async (request, response) => {
    // A sender that disconnects gets no answer, and there is nothing to report.
    const reception = await receive(request, options).catch(() => undefined);
    if (reception === undefined) return void response.destroy();
    const { answered } = reception;
    response.writeHead(answered, answered === 405 ? { Allow: "POST" } : {}).end();
    // A sender reads no answer until it has sent its whole body, so drain the rest of it.
    request.resume();
    options.onReception(reception);
  };
}

async function receive(
  request: IncomingMessage,
  { webhooks, forwardTo }: ReceiverOptions,
): Promise<Reception> {
  if (request.method !== "POST") {
    const message = `Webhooks are POST requests; this was ${request.method}.`;
    return { ok: false, answered: 405, reason: "method_not_allowed", message };
  }
  const body = await readBody(request);
  if (body === undefined) {
    const message = `The body is larger than ${maxBodyBytes} bytes.`;
    return { ok: false, answered: 413, reason: "body_too_large", message };
  }
  const result = await webhooks.safeVerify({ body, headers: request.headers });
  if (!result.ok) {
    const isContent = result.reason === "invalid_json" || result.reason === "invalid_event";
    const isOfOtherTime = /^timestamp_too_/.test(result.reason);
    const message = isOfOtherTime ? `${result.message} ${clockCure}` : result.message;
    return { ...result, message, answered: isContent ? 400 : 401 };
  }
  const { webhook } = result;
  if (forwardTo === undefined) return { ok: true, answered: 200, webhook, forwarded: null };
  const headers = forwardableHeaders(request.rawHeaders);
  return post({ url: forwardTo, headers, body }).then(
    (answer): Reception => ({ ok: true, answered: answer.status, webhook, forwarded: answer }),
    ({ message: error }: Error): Reception => ({
      ok: true,
      answered: 502,
      webhook,
      forwarded: { error },
    }),
  );
}

/** A request's body. `undefined` when it is larger than the limit; the excess is not kept. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  // The connection stays, for the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    if (length > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

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
