import type { ResetFault, TruncationFault } from "./faults/fault.ts";

/** A request's connection, passed as the `env` of hono's `fetch`. The app sets `broken` if a fault breaks it. */
export interface Connection {
  /** Aborts if the client disconnects before it has the whole response. */
  readonly signal: AbortSignal;
  /** Whether the sandbox accepts this host name. Unset in process, where every name is accepted. */
  readonly isAllowedHost?: (hostname: string) => boolean;
  broken?: ResetFault | TruncationFault;
}

/** Whether none of the response arrives. Otherwise, half of it arrives on a broken connection. */
export function isUnanswered({ broken }: Connection): boolean {
  return broken?.connection === "reset" && broken.when !== "mid-answer";
}

/** The sandbox's hono app. */
export interface SandboxApp {
  fetch(request: Request, connection: Connection): Response | Promise<Response>;
}

/** The part of a response that is sent before the connection breaks; its headers state the full length. */
export async function firstHalf(answer: Response) {
  const whole = new Uint8Array(await answer.arrayBuffer());
  const headers = new Headers(answer.headers);
  headers.set("Content-Length", String(whole.length));
  return { half: whole.subarray(0, whole.length >> 1), headers };
}

/**
 * Calls the app in process. Rejects as the platform's fetch does: with the signal's reason when it aborts, and with a
 * TypeError when a fault breaks the connection. As with any service, a request takes effect even if its client
 * disconnects.
 */
export async function fetchInProcess(app: SandboxApp, request: Request): Promise<Response> {
  const { signal } = request;
  signal.throwIfAborted();
  // Not the request's own signal, which may still abort after everything has arrived.
  const disconnection = new AbortController();
  const connection: Connection = { signal: disconnection.signal };
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const disconnect = () => {
    disconnection.abort(signal.reason);
    reject(signal.reason);
  };
  signal.addEventListener("abort", disconnect);
  try {
    const answer = await Promise.race([app.fetch(request, connection), aborted]);
    return connection.broken ? await brokenAnswer(answer, connection) : answer;
  } finally {
    signal.removeEventListener("abort", disconnect);
  }
}

async function brokenAnswer(answer: Response, connection: Connection): Promise<Response> {
  // The same causes as Node's own fetch.
  const [message, code] =
    connection.broken?.connection === "reset"
      ? ["read ECONNRESET", "ECONNRESET"]
      : ["other side closed", "UND_ERR_SOCKET"];
  const cause = Object.assign(new Error(message), { code });
  if (isUnanswered(connection)) throw new TypeError("fetch failed", { cause });
  const { half, headers } = await firstHalf(answer);
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(half),
    // Only called after the first half was read.
    pull: (controller) => controller.error(new TypeError("terminated", { cause })),
  });
  return new Response(body, { status: answer.status, headers });
}
