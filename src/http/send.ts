import { readErrorBody } from "../wire/envelope.ts";
import { readNetworkError } from "./network-error.ts";
import { type Failure, readRetryAfter } from "./policy.ts";
import type { Fetch, FetchInit, FetchResponse } from "./settings.ts";

interface AttemptRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly fetch: Fetch;
  readonly fetchOptions: Readonly<Record<string, unknown>>;
  readonly limit: { readonly name: "timeoutMs" | "deadlineMs"; readonly ms: number };
  readonly signal: AbortSignal | undefined;
  readonly requestIdHeader: string;
  readonly wallClock: () => number;
  /** Takes credentials out of a text that will be shown. */
  readonly redact: (text: string) => string;
}

/** A success status with its body. */
export interface Answer {
  readonly kind: "answer";
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | undefined;
  readonly text: string;
}

/**
 * Sends one request and reads its whole answer, within the limit. Never throws, and ends in time
 * even when fetch does not listen to its signal.
 */
export async function attempt(request: AttemptRequest): Promise<Answer | Failure> {
  const { signal, limit } = request;
  const controller = new AbortController();
  let stop: (failure: Failure) => void = () => {};
  const stopped = new Promise<Failure>((resolve) => {
    stop = (failure) => {
      resolve(failure);
      controller.abort();
    };
  });
  const onAbort = () => stop({ kind: "aborted", reason: signal?.reason });
  const onTimer = () => {
    // After a stall of the event loop the answer may be here, unread: it gets one more turn.
    timer = setTimeout(() => stop({ kind: "timeout", limit: limit.name, ms: limit.ms }), 1);
  };
  let timer = setTimeout(onTimer, limit.ms);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    return await exchange(request, controller.signal, stopped);
  } catch (error) {
    const failure = readNetworkError(error);
    return { ...failure, detail: request.redact(failure.detail) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

async function exchange(
  request: AttemptRequest,
  signal: AbortSignal,
  stopped: Promise<Failure>,
): Promise<Answer | Failure> {
  const sending = send(request, signal);
  const response = await Promise.race([sending, stopped]);
  if ("kind" in response) {
    // A fetch that does not listen to its signal may still answer: nobody is there to read it.
    sending.then(cancelBody, () => {});
    return response;
  }
  const { status } = response;
  // Whoever's they are, they can do what the platform's can.
  const headers = response.headers as Headers;
  // An opaque or failed answer of a custom fetch: nobody said anything.
  if (status < 200 && response.type !== "opaqueredirect") {
    return { kind: "connection", code: "no_answer", detail: `an answer of type ${response.type}` };
  }
  const requestId = request.redact(headers.get(request.requestIdHeader) ?? "") || undefined;
  if (response.type === "opaqueredirect" || (status >= 300 && status < 400)) {
    cancelBody(response);
    const origin = originOf(headers.get("location"), request.url);
    return { kind: "redirect", status, origin, requestId };
  }
  const body = await readBody(response, stopped);
  if (response.ok) {
    return typeof body === "string"
      ? { kind: "answer", status, headers, requestId, text: body }
      : body;
  }
  if (typeof body !== "string" && body.kind === "aborted") return body;
  // The status alone decides what is safe, so an error whose body did not arrive is still that error.
  const facts = redacted(readErrorBody(typeof body === "string" ? body : ""), request.redact);
  const retryAfterMs = readRetryAfter(headers, request.wallClock());
  return { kind: "status", status, facts, retryAfterMs, requestId };
}

async function send(request: AttemptRequest, signal: AbortSignal): Promise<FetchResponse> {
  const { method, url, headers, body, fetch, fetchOptions } = request;
  const init: FetchInit = {
    ...fetchOptions,
    method,
    headers,
    signal,
    // Followed, a redirect would carry the credential to another origin and turn a POST into a GET.
    redirect: "manual",
    ...(body === undefined ? {} : { body }),
  };
  const response = await fetch(url, init);
  if (typeof response?.text === "function") return response;
  throw new TypeError("the fetch function gave no Response");
}

/** The body's text, or why it did not arrive whole. */
async function readBody(
  response: FetchResponse,
  stopped: Promise<Failure>,
): Promise<string | Failure> {
  const reading = response.text();
  try {
    return await Promise.race([reading, stopped]);
  } catch (error) {
    // Part of an answer was here: whatever the platform calls the error, the request had arrived.
    const { code, detail } = readNetworkError(error);
    return { kind: "connection", code, detail };
  }
}

/** Takes credentials out of every text in a value, after escapes were read. */
function redacted<T>(value: T, redact: (text: string) => string): T {
  if (typeof value === "string") return redact(value) as T;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => redacted(item, redact)) as T;
  const entries = Object.entries(value).map(([name, inner]) => [
    redact(name),
    redacted(inner, redact),
  ]);
  return Object.fromEntries(entries) as T;
}

function cancelBody(response: FetchResponse): void {
  response.body?.cancel().catch(() => {});
}

function originOf(location: string | null, base: string): string | undefined {
  return location !== null && URL.canParse(location, base)
    ? new URL(location, base).origin
    : undefined;
}
