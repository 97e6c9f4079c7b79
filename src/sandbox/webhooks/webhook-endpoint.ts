import { ConfigurationError } from "../../errors.ts";
import { keptHeaders, keptText, withoutSecrets } from "../timeline/kept-text.ts";
import {
  maxBodyCharacters,
  tooLate,
  usualBodyTimeoutMs,
  usualTimeoutMs,
  type WebhookAnswer,
} from "./webhook-answer.ts";

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
  /** Rejects when no answer comes within the time-out. */
  send(message: WebhookMessage): Promise<WebhookAnswer>;
}

/** The URL of requests that are handed to `deliver` when no `webhookUrl` is given. */
const placeholderUrl = "https://merchant.example/webhooks";

/** `undefined` when there is nowhere to send webhooks to. */
export function webhookEndpoint(
  webhookUrl: string | URL | undefined,
  deliver: Deliver | undefined,
): WebhookEndpoint | undefined {
  if (webhookUrl === undefined && deliver === undefined) return undefined;
  const url = webhookUrl === undefined ? placeholderUrl : checkedUrl(webhookUrl);
  const exchange = deliver ? handOver(deliver) : postTo;
  return {
    url,
    async send(message) {
      const { status, headers, body } = await exchange(message);
      return {
        status,
        headers: keptHeaders(Object.entries(headers)),
        body: withoutSecrets(keptText(body).text),
      };
    },
  };
}

type Exchange = (message: WebhookMessage) => Promise<WebhookAnswer>;

const postTo: Exchange = async ({ url, headers, body }) => {
  // Loading node:http takes as long as all the rest, and most tests do without.
  const { post } = await import("./webhook-post.ts");
  return post({
    url: new URL(url),
    headers: Object.entries(headers).flat(),
    body: Buffer.from(body),
  });
};

function handOver(deliver: Deliver): Exchange {
  return ({ url, headers, body }) =>
    withinTimeout(async (signal) => {
      const response = await deliver(new Request(url, { method: "POST", headers, body, signal }));
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await beginningOf(response),
      };
    });
}

/** The status says everything: a body that trickles is not waited for, nor one without end read. */
async function beginningOf({ body }: Response): Promise<string> {
  if (body === null || body.locked) return "";
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const enough = Promise.withResolvers<undefined>();
  const timer = setTimeout(enough.resolve, usualBodyTimeoutMs, undefined);
  let text = "";
  try {
    while (text.length < maxBodyCharacters) {
      const chunk = await Promise.race([reader.read(), enough.promise]);
      if (chunk === undefined || chunk.done) break;
      text += chunk.value;
    }
  } catch {
    // What breaks off has been answered all the same.
  } finally {
    clearTimeout(timer);
    void reader.cancel().catch(() => undefined);
  }
  return text.slice(0, maxBodyCharacters);
}

/** Ends in time even when `deliver` does not heed the signal. */
async function withinTimeout<Result>(
  exchange: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = tooLate(usualTimeoutMs);
    reject(error);
    controller.abort(error);
  }, usualTimeoutMs);
  // Workers' timers are numbers, and keep nothing alive.
  timer.unref?.();
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
