import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import {
  maxBodyCharacters,
  tooLate,
  usualBodyTimeoutMs,
  usualTimeoutMs,
  type WebhookAnswer,
} from "./webhook-answer.ts";

interface PostOptions {
  readonly url: URL;
  /** Names and values in turns, as they are to be written. Host and Content-Length are added. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
  /** How long the answer may take. Default 30,000, as long as the service waits (published). */
  readonly timeoutMs?: number;
  /** How long the body may take then. Default 1,000: the status says everything. */
  readonly bodyTimeoutMs?: number;
}

/** An answer as it came, with whatever credentials are in it. */
export interface PostAnswer extends WebhookAnswer {
  readonly durationMs: number;
}

/**
 * One POST to exactly this URL, with exactly these headers. Not by fetch, which adds headers of its
 * own; and no redirect is followed, because a signed webhook is for one endpoint only.
 *
 * Rejects with a reason for people.
 */
export function post(options: PostOptions): Promise<PostAnswer> {
  const {
    url,
    headers,
    body,
    timeoutMs = usualTimeoutMs,
    bodyTimeoutMs = usualBodyTimeoutMs,
  } = options;
  const startedMs = performance.now();
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const signal = AbortSignal.timeout(timeoutMs);
  const own = ["Host", url.host, "Content-Length", String(body.length)];
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      reject(signal.aborted ? tooLate(timeoutMs) : new Error(reasonOf(error), { cause: error }));
    };
    const outgoing = send(url, {
      method: "POST",
      headers: [...own, ...headers],
      agent: false,
      signal,
    });
    outgoing.once("error", fail);
    outgoing.once("response", (response) => {
      const { statusCode: status = 0 } = response;
      let text = "";
      const finish = () => {
        clearTimeout(trickle);
        const durationMs = performance.now() - startedMs;
        resolve({ status, headers: asRecord(response.headersDistinct), body: text, durationMs });
        outgoing.destroy();
      };
      const trickle = setTimeout(finish, bodyTimeoutMs);
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text = (text + chunk).slice(0, maxBodyCharacters);
        // Nobody reads more of it, and it may have no end.
        if (text.length === maxBodyCharacters) finish();
      });
      response.once("end", finish);
      response.once("error", (error) => {
        clearTimeout(trickle);
        fail(error);
      });
    });
    outgoing.end(body);
  });
}

function asRecord(headers: NodeJS.Dict<string[]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [name, values?.join(", ") ?? ""]),
  );
}

function reasonOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ECONNREFUSED") return "nothing listens there (ECONNREFUSED); start your server";
  if (code === "ENOTFOUND") return "there is no such host (ENOTFOUND); check the URL";
  if (code === "ECONNRESET") return "the connection broke before an answer (ECONNRESET)";
  return error.message || code || "the connection failed";
}
