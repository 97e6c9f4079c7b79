import type { IncomingMessage } from "node:http";
import pLimit from "p-limit";
import { show } from "../../values.ts";
import { keptHeaders, withoutSecrets } from "../request-log.ts";

/** Receives a webhook in place of the network; the status of its response counts as the answer. */
export type Deliver = (request: Request) => Response | Promise<Response>;

/** A webhook as it is sent. */
export interface WebhookMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A receiver's answer. Credentials in it read `[redacted]`. */
export interface WebhookAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Its first 2,000 characters, or as many as arrived within a second. */
  readonly body: string;
}

/** The URL of requests that are passed to `deliver` when no `webhookUrl` is given. */
const placeholderUrl = "https://merchant.example/webhooks";

/** Where webhooks go. */
export type WebhookEndpoint = NonNullable<ReturnType<typeof webhookEndpoint>>;

/** `undefined` when there is nowhere to send webhooks to. */
export function webhookEndpoint(webhookUrl: string | null, deliver: Deliver | undefined) {
  if (!webhookUrl && deliver === undefined) return undefined;
  return {
    url: new URL(webhookUrl ?? placeholderUrl).href,
    /** Rejects when no answer comes in time, and with whatever `deliver` throws. */
    async send(message: WebhookMessage): Promise<WebhookAnswer> {
      const { status, headers, body } = deliver
        ? await handOver(deliver, message)
        : await post({
            url: new URL(message.url),
            headers: Object.entries(message.headers).flat(),
            body: Buffer.from(message.body),
          });
      return {
        status,
        headers: keptHeaders(Object.entries(headers)),
        body: withoutSecrets(body),
      };
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
    // The process's own class, or another implementation's.
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
  /** Names and values in turns, exactly as they are sent. Host and Content-Length are added. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

/** An answer as it came, credentials included. */
export interface PostAnswer extends WebhookAnswer {
  readonly durationMs: number;
}

/**
 * One POST to exactly this URL, with exactly these headers. Not by fetch, which adds headers of its own and keeps
 * connections open; and no redirect is followed, because a signed webhook is for one endpoint only. Rejects with a reason
 * for people.
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
    // Ends the connection, also under an answer that never ends.
    response.destroy();
    if (errored) throw new Error("the connection broke within the answer", { cause: errored });
    const durationMs = performance.now() - startedMs;
    return { status, headers: Object.fromEntries(headers), body, durationMs };
  });
}

async function responseTo(
  { url, headers, body }: PostOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  // Loading node:http takes as long as the rest of the sandbox, and most tests do without.
  const { request } = await (url.protocol === "https:"
    ? import("node:https")
    : import("node:http"));
  const own = ["Host", url.host, "Content-Length", String(body.length)];
  return new Promise((resolve, reject) => {
    const options = { method: "POST", headers: [...own, ...headers], agent: false, signal };
    const outgoing = request(url, options);
    outgoing.on("error", (error) => reject(new Error(reasonOf(error), { cause: error })));
    outgoing.once("response", resolve);
    // Such as by an answer with the status 101.
    outgoing.once("close", () => reject(new Error("the connection closed without an answer")));
    outgoing.end(body);
  });
}

function reasonOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ECONNREFUSED") return "nothing listens there (ECONNREFUSED); start your server";
  if (code === "ENOTFOUND") return "there is no such host (ENOTFOUND); check the URL";
  if (code === "ECONNRESET") return "the connection broke before an answer (ECONNRESET)";
  return error.message || code || "the connection failed";
}

const maxBodyCharacters = 2_000;
const bodyTimeoutMs = 1_000;

/** The status is what counts: endless and trickling bodies are cut off. */
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
    // The part that arrived before the body broke off is kept.
  } finally {
    clearTimeout(timer);
    void chunks.return?.().catch(() => undefined);
  }
  return text.slice(0, maxBodyCharacters);
}

/** Ends after as long as the service waits (published), even when `exchange` ignores the signal. */
async function withinTimeout<Result>(
  exchange: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new Error("no answer within 30 seconds");
    reject(error);
    controller.abort(error);
  }, 30_000);
  // Workers' timers are numbers, and keep nothing alive.
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
    /** Resolves when the task is done. */
    async run(key: string, task: () => Promise<void>): Promise<void> {
      // Never in the same step: the caller finishes before a task starts.
      const mine = (lastOfKey.get(key) ?? Promise.resolve()).then(() => limit(task));
      lastOfKey.set(key, mine);
      await mine;
      if (lastOfKey.get(key) === mine) lastOfKey.delete(key);
    },
    /** Resolves when nothing runs and nothing waits. */
    async idle(): Promise<void> {
      while (lastOfKey.size > 0) await Promise.all(lastOfKey.values());
    },
  };
}
