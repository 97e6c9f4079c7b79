import type { IncomingMessage } from "node:http";
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

/** Where webhooks go. */
export interface WebhookEndpoint {
  readonly url: string;
  /** Rejects when no answer comes within the timeout. */
  send(message: WebhookMessage): Promise<WebhookAnswer>;
}

/** The URL of requests that are passed to `deliver` when no `webhookUrl` is given. */
const placeholderUrl = "https://merchant.example/webhooks";

/** As long as the service waits (published). */
const defaultTimeoutMs = 30_000;
const maxBodyCharacters = 2_000;

/** `undefined` when there is nowhere to send webhooks to. */
export function webhookEndpoint(
  webhookUrl: string | URL | undefined,
  deliver: Deliver | undefined,
): WebhookEndpoint | undefined {
  if (webhookUrl === undefined && deliver === undefined) return undefined;
  const { href: url } = new URL(webhookUrl ?? placeholderUrl);
  return {
    url,
    async send(message) {
      const { status, headers, body } = await (deliver
        ? handOver(deliver, message)
        : post({
            url: new URL(message.url),
            headers: Object.entries(message.headers).flat(),
            body: Buffer.from(message.body),
          }));
      return {
        status,
        headers: keptHeaders(Object.entries(headers)),
        body: withoutSecrets(body),
      };
    },
  };
}

async function handOver(
  deliver: Deliver,
  { url, headers, body }: WebhookMessage,
): Promise<WebhookAnswer> {
  return withinTimeout(defaultTimeoutMs, async (signal) => {
    const request = new Request(url, { method: "POST", headers, body, signal });
    const response = await asked(deliver, request);
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: response.bodyUsed ? "" : await beginningOf(response.body),
    };
  });
}

/** A function of the merchant's may throw anything. */
async function asked(deliver: Deliver, request: Request): Promise<Response> {
  try {
    return await deliver(request);
  } catch (error) {
    throw error instanceof Error ? error : new Error(`deliver threw ${show(error)}`);
  }
}

interface PostOptions {
  readonly url: URL;
  /** Names and values in turns, exactly as they are sent. Host and Content-Length are added. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
  /** @defaultValue 30,000, as long as the service waits */
  readonly timeoutMs?: number;
  /** How long the body may take after the status. @defaultValue 1,000 */
  readonly bodyTimeoutMs?: number;
}

/** An answer as it came, credentials included. */
export interface PostAnswer extends WebhookAnswer {
  readonly durationMs: number;
}

/** One POST to exactly this URL, with exactly these headers. Rejects with a reason for people. */
export async function post(options: PostOptions): Promise<PostAnswer> {
  const { timeoutMs = defaultTimeoutMs, bodyTimeoutMs } = options;
  const startedMs = performance.now();
  const connection = new AbortController();
  try {
    return await withinTimeout(timeoutMs, async (late) => {
      const signal = AbortSignal.any([late, connection.signal]);
      const response = await postOverHttp(options, signal);
      const headers = Object.entries(response.headersDistinct).map(([name, values = []]) => {
        return [name, values.join(", ")] as const;
      });
      const body = await beginningOf(response, bodyTimeoutMs);
      if (response.errored) throw response.errored;
      const durationMs = performance.now() - startedMs;
      const { statusCode: status = 0 } = response;
      return { status, headers: Object.fromEntries(headers), body, durationMs };
    });
  } finally {
    connection.abort();
  }
}

/** The status is what counts: endless and trickling bodies are cut off. */
async function beginningOf(
  body: AsyncIterable<Uint8Array> | null,
  timeoutMs = 1_000,
): Promise<string> {
  if (body === null) return "";
  const chunks = body[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  const enough = Promise.withResolvers<undefined>();
  const timer = setTimeout(enough.resolve, timeoutMs, undefined);
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

/** Ends in time even when `exchange` ignores the signal. */
async function withinTimeout<Result>(
  timeoutMs: number,
  exchange: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new Error(`no answer within ${timeoutMs / 1000} seconds`);
    reject(error);
    controller.abort(error);
  }, timeoutMs);
  // Workers' timers are numbers, and keep nothing alive.
  timer.unref?.();
  try {
    return await Promise.race([exchange(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * One POST. Not by fetch, which adds headers of its own and keeps connections open; and no redirect is
 * followed, because a signed webhook is for one endpoint only.
 *
 * @param signal Ends the connection, also after the answer.
 */
async function postOverHttp(
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

import pLimit from "p-limit";

/** Runs tasks with the same key in order, and others concurrently. */
export interface TaskQueue {
  /** Resolves when the task is done. The task itself must not reject. */
  run(key: string, task: () => Promise<void>): Promise<void>;
  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void>;
}

/** @param concurrency How many tasks run at once, so that a burst does not open a socket for each. */
export function createTaskQueue(concurrency: number): TaskQueue {
  const limit = pLimit(concurrency);
  const lastOfKey = new Map<string, Promise<void>>();

  return {
    async run(key, task) {
      // Never in the same step: the caller finishes before a task starts.
      const mine = (lastOfKey.get(key) ?? Promise.resolve()).then(() => limit(task));
      lastOfKey.set(key, mine);
      await mine;
      if (lastOfKey.get(key) === mine) lastOfKey.delete(key);
    },
    async idle() {
      while (lastOfKey.size > 0) await Promise.all(lastOfKey.values());
    },
  };
}
