import { ConfigurationError } from "../errors/configuration-error.ts";

/** Takes a webhook instead of the network: the answer's status says what became of it. */
export type Deliver = (request: Request) => Response | Promise<Response>;

/** A webhook as it is sent. */
export interface WebhookMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Where webhooks go. */
export interface WebhookEndpoint {
  readonly url: string;
  /** The status of the answer. Rejects when none comes within the time-out. */
  send(message: WebhookMessage): Promise<number>;
}

/** How long the service waits for an answer, as published. */
const answerTimeoutMs = 30_000;

/** The URL of requests that are handed to `deliver` when no `webhookUrl` is given. */
const placeholderUrl = "https://merchant.example/webhooks";

/** `undefined` when there is nowhere to send webhooks to. */
export function webhookEndpoint(
  webhookUrl: string | URL | undefined,
  deliver: Deliver | undefined,
): WebhookEndpoint | undefined {
  if (webhookUrl === undefined && deliver === undefined) return undefined;
  const url = webhookUrl === undefined ? placeholderUrl : checkedUrl(webhookUrl);
  const exchange = deliver ? handOver(deliver) : post;
  return { url, send: (message) => withinTimeout((signal) => exchange(message, signal)) };
}

type Exchange = (message: WebhookMessage, signal: AbortSignal) => Promise<number>;

/** A redirect counts as a refusal: following it would carry the signed body elsewhere. */
const post: Exchange = async ({ url, headers, body }, signal) => {
  const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
  // The status says everything; an answer without end must not hold its connection.
  await response.body?.cancel();
  return response.status;
};

function handOver(deliver: Deliver): Exchange {
  return async ({ url, headers, body }, signal) => {
    const response = await deliver(new Request(url, { method: "POST", headers, body, signal }));
    return response.status;
  };
}

/** Ends in time even when `deliver` does not heed the signal. */
async function withinTimeout(exchange: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const controller = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new Error(`no answer within ${answerTimeoutMs / 1000} seconds`);
    reject(error);
    controller.abort(error);
  }, answerTimeoutMs);
  timer.unref();
  try {
    return await Promise.race([exchange(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

function checkedUrl(webhookUrl: string | URL): string {
  const url = URL.parse(String(webhookUrl));
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href;
  throw new ConfigurationError(
    "webhookUrl must be an absolute http or https URL, such as http://127.0.0.1:3000/webhooks.",
    { code: "invalid_webhook_url", param: "webhookUrl" },
  );
}
