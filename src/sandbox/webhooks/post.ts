import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

interface Post {
  readonly url: URL;
  /** Names and values in turns, exactly as they are sent. Host and Content-Length are added. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
  /** Ends the connection, also after the answer. */
  readonly signal: AbortSignal;
}

/**
 * One POST. Not by fetch, which adds headers of its own and keeps connections open; and no redirect is
 * followed, because a signed webhook is for one endpoint only.
 */
export function postOverHttp({ url, headers, body, signal }: Post): Promise<IncomingMessage> {
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const own = ["Host", url.host, "Content-Length", String(body.length)];
  return new Promise((resolve, reject) => {
    const options = {
      method: "POST",
      headers: [...own, ...headers],
      agent: false,
      signal,
    } as const;
    const outgoing = send(url, options);
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
