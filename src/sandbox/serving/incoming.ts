import type { IncomingMessage, ServerResponse } from "node:http";
import type { ReceivedHeaders } from "./received.ts";
import { maxBodyBytes } from "./request-body.ts";

/**
 * Where a request goes to, by its Host and its path; `undefined` when that is no URL. What a path begins with can
 * never name another host.
 */
export function incomingUrl({
  headers: { host = "" },
  url = "/",
}: IncomingMessage): URL | undefined {
  if (!/^[\w.:[\]-]+$/.test(host)) return undefined;
  return URL.parse(url.startsWith("/") ? `http://${host}${url}` : url) ?? undefined;
}

/** The headers, without copies of them. */
export function incomingHeaders({ headers }: IncomingMessage): ReceivedHeaders {
  return {
    get(name) {
      const lowerCase = name.toLowerCase();
      // Nobody asks for what every object has, such as its constructor.
      const value = Object.hasOwn(headers, lowerCase) ? headers[lowerCase] : undefined;
      return value === undefined ? null : asText(value);
    },
    [Symbol.iterator]() {
      const all = Object.entries(headers).map(
        ([name, value = ""]) => [name, asText(value)] as const,
      );
      return all[Symbol.iterator]();
    },
  };
}

function asText(value: string | string[]): string {
  return typeof value === "string" ? value : value.join(", ");
}

/**
 * A body as text, or `undefined` when it is larger than what is read. Rejects when the connection ends before it does.
 */
export function incomingText(incoming: IncomingMessage): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  const chunks: Buffer[] = [];
  let size = 0;
  incoming.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxBodyBytes) chunks.push(chunk);
    else {
      // The rest is taken, so that the client comes to read the answer, and thrown away.
      chunks.length = 0;
      resolve(undefined);
    }
  });
  incoming.on("end", () => resolve(size > maxBodyBytes ? undefined : textOf(chunks)));
  incoming.on("close", () => reject(new Error("The connection ended within the body.")));
  return promise;
}

const byteOrderMark = "\uFEFF";

/** As a Web request reads it. */
function textOf(chunks: readonly Buffer[]): string {
  const [first] = chunks;
  const whole = chunks.length === 1 && first ? first : Buffer.concat(chunks);
  const text = whole.toString("utf8");
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}

/** Has something called when the connection ends before the whole answer has left. */
export function whenGone(outgoing: ServerResponse): (listener: () => void) => void {
  return (listener) => {
    outgoing.on("close", () => {
      if (!outgoing.writableFinished) listener();
    });
  };
}
