import type { IncomingMessage } from "node:http";
import pLimit from "p-limit";
import { show } from "../../values.ts";

/** Receives a webhook in process, instead of the network. A 2xx response accepts it. */
export type Deliver = (request: Request) => Response | Promise<Response>;

/** A webhook as sent. */
export interface WebhookMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A receiver's response. In `WebhookAttempt`, credentials appear as `[redacted]`. */
export interface WebhookAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Its first 2,000 characters, or as many as arrived within a second. */
  readonly body: string;
}

/** The URL of requests passed to `deliver` if there is no `webhookUrl`. */
const placeholderUrl = "https://merchant.example/webhooks";

/** The destination of a merchant's webhooks. */
export type WebhookEndpoint = NonNullable<ReturnType<typeof webhookEndpoint>>;

/** `undefined` if there is neither a URL nor `deliver`. */
export function webhookEndpoint(webhookUrl: string | null, deliver: Deliver | undefined) {
  if (!webhookUrl && deliver === undefined) return undefined;
  return {
    url: new URL(webhookUrl ?? placeholderUrl).href,
    /** Rejects if no response arrives in time, or with the error that `deliver` throws. */
    send(message: WebhookMessage): Promise<WebhookAnswer> {
      if (deliver) return handOver(deliver, message);
      const headers = Object.entries(message.headers).flat();
      return post({ url: new URL(message.url), headers, body: Buffer.from(message.body) });
    },
  };
}

function handOver(
  deliver: Deliver,
  { url, headers, body }: WebhookMessage,
): Promise<WebhookAnswer> {
  return withinTimeout(async (signal) => {
    const request = new Request(url, { method: "POST", headers, body, signal });
    const response = await deliver(request);
    // Other implementations' Response classes are accepted, too.
    if (Object.prototype.toString.call(response) !== "[object Response]") {
      throw new Error(`deliver must return a Response, but returned ${show(response)}`);
    }
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: response.bodyUsed ? "" : await beginningOf(response.body),
    };
  });
}

interface PostOptions {
  readonly url: URL;
  /** Alternating names and values, exactly as sent. Host and Content-Length are added. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

/** A response as received, including credentials. */
export interface PostAnswer extends WebhookAnswer {
  readonly durationMs: number;
}

/**
 * Sends one POST to exactly this URL, with exactly these headers. Does not use fetch, which adds its own headers and
 * keeps connections open. Does not follow redirects, because a signed webhook is for one endpoint only. Rejects with a
 * readable reason.
 */
export function post(options: PostOptions): Promise<PostAnswer> {
  const startedMs = performance.now();
  return withinTimeout(async (signal) => {
    const response = await responseTo(options, signal);
    const headers = Object.entries(response.headersDistinct).map(([name, values = []]) => {
      return [name, values.join(", ")] as const;
    });
    const body = await beginningOf(response);
    const { errored, statusCode: status = 0 } = response;
    // Closes the connection, even during an endless response.
    response.destroy();
    if (errored) throw new Error("the connection broke during the response", { cause: errored });
    const durationMs = performance.now() - startedMs;
    return { status, headers: Object.fromEntries(headers), body, durationMs };
  });
}

async function responseTo(
  { url, headers, body }: PostOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  // Loading node:http takes as long as the rest of the sandbox, and most tests do not need it.
  const { request } = await (url.protocol === "https:"
    ? import("node:https")
    : import("node:http"));
  const own = ["Host", url.host, "Content-Length", String(body.length)];
  return new Promise((resolve, reject) => {
    const options = { method: "POST", headers: [...own, ...headers], agent: false, signal };
    const outgoing = request(url, options);
    outgoing.on("error", (error) => reject(new Error(reasonOf(error), { cause: error })));
    outgoing.once("response", resolve);
    // For example, a response with status 101.
    outgoing.once("close", () => reject(new Error("the connection closed without a response")));
    outgoing.end(body);
  });
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing is listening there (ECONNREFUSED); start your server",
  ENOTFOUND: "there is no such host (ENOTFOUND); check the URL",
  ECONNRESET: "the connection broke before a response (ECONNRESET)",
  EPROTO: "the TLS handshake failed (EPROTO); check whether the URL should begin with http://",
};

function reasonOf({ code = "", message }: NodeJS.ErrnoException): string {
  return reasons[code] ?? (message || code || "the connection failed");
}

const maxBodyCharacters = 2_000;
const bodyTimeoutMs = 1_000;

/** Only the status matters: endless and trickling bodies are cut off. Copied like the bodies of requests. */
async function beginningOf(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  if (body === null) return "";
  const chunks = body[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  const enough = Promise.withResolvers<undefined>();
  const timer = setTimeout(enough.resolve, bodyTimeoutMs, undefined);
  let text = "";
  try {
    while (text.length < maxBodyCharacters) {
      const chunk = await Promise.race([chunks.next(), enough.promise]);
      if (chunk === undefined || chunk.done) break;
      text += decoder.decode(chunk.value, { stream: true });
    }
  } catch {
    // If the body breaks off, keep the part that arrived.
  } finally {
    clearTimeout(timer);
    void chunks.return?.().catch(() => undefined);
  }
  return JSON.parse(JSON.stringify(text.slice(0, maxBodyCharacters)));
}

/** Times out after 30 seconds, as the service does (published elsewhere), even if `exchange` ignores the signal. */
async function withinTimeout<Result>(
  exchange: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new Error("no response within 30 seconds");
    reject(error);
    controller.abort(error);
  }, 30_000);
  // In Workers, timers are numbers, and keep nothing alive.
  timer.unref?.();
  try {
    return await Promise.race([exchange(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Runs tasks with the same key in order, and others concurrently. Tasks must not reject.
 *
 * @param concurrency How many tasks run at once, so that a burst does not open a socket for each.
 */
export function createTaskQueue(concurrency: number) {
  const limit = pLimit(concurrency);
  const lastOfKey = new Map<string, Promise<void>>();

  return {
    async run(key: string, task: () => Promise<void>): Promise<void> {
      // Never synchronously: the caller finishes before a task starts.
      const mine = (lastOfKey.get(key) ?? Promise.resolve()).then(() => limit(task));
      lastOfKey.set(key, mine);
      await mine;
      if (lastOfKey.get(key) === mine) lastOfKey.delete(key);
    },
    /** Resolves when nothing is running or waiting. */
    async idle(): Promise<void> {
      while (lastOfKey.size > 0) await Promise.all(lastOfKey.values());
    },
  };
}
