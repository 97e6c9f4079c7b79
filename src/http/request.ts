import { ConfigurationError, type Outcome } from "../errors.ts";
import { invalidArgument, jsonText, show } from "../values.ts";
import { idempotencyKeyHeader, isVisibleAscii } from "../wire/credential.ts";
import type { Operation, Replay } from "../wire/operation.ts";
import { checkHeaders } from "./headers.ts";
import type { Failure } from "./policy.ts";
import type { ApiResponse, FetchInit, HttpSettings, RequestOptions } from "./settings.ts";
import { type Time, within } from "./time.ts";

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface CallInput<T = unknown> {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Query | undefined;
  readonly body?: object | undefined;
  /**
   * Called right before a request is sent, with the outcome of earlier attempts. If it returns a response, the call ends
   * with that; if it throws, with the error. Then nothing is sent.
   */
  beforeSend?(outcome: Outcome): Promise<ApiResponse<T> | undefined>;
  /**
   * Called before the body is handed to fetch, and again when it is written to the connection, on runtimes that report
   * it. If it throws, the request cannot take effect, and the call fails with that error.
   */
  readonly beforeBody?: (() => void) | undefined;
  /** The fields in which a response does not match the request. */
  differing?(answer: T): readonly string[];
}

/** The part of a request that all attempts of a call share. */
export interface PreparedRequest {
  readonly method: string;
  readonly replay: Replay;
  readonly path: string;
  readonly query: Query;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
  readonly idempotencyKey: string | undefined;
}

/** @throws {InvalidRequestError} when an argument can never be valid. */
export function prepareRequest(
  { method, path, replay }: Operation<unknown>,
  { path: ids = {}, query = {}, body: content }: CallInput,
  options: RequestOptions,
  { wire, credential }: HttpSettings,
): PreparedRequest {
  if (content !== undefined && method === "GET") {
    throw invalidArgument("body", "A GET request has no body. Pass parameters as query.");
  }
  const idempotencyKey =
    replay === "safe" ? undefined : checkIdempotencyKey(options.idempotencyKey);
  const body = content && jsonText(content);
  if (content !== undefined && body === undefined) {
    throw invalidArgument("body", "body must be serialisable as JSON, without cycles or bigints.");
  }
  const headers: Record<string, string> = {
    ...(options.headers !== undefined && checkHeaders(options.headers, wire.headerPrefix)),
    ...(body !== undefined && { "content-type": "application/json" }),
    ...(idempotencyKey !== undefined && { [idempotencyKeyHeader.toLowerCase()]: idempotencyKey }),
  };
  const filled = fillPath(path, { ...credential.path, ...ids });
  return { method, replay, path: filled, query, headers, body, idempotencyKey };
}

/**
 * Whether the runtime's fetch might resend a request that it must not resend. Deno's and Bun's resend when a reused
 * connection breaks, even what the service has acted on, and Cloudflare's a PUT or DELETE without a body; Node's resends
 * after a 421. None but Bun's resends a stream. A keyed request is harmless to resend, but if the new connection is
 * refused, it seems not to have been sent. On Node without a dispatcher, it stays text, which merchants' tests read.
 */
export function fetchMayResend(
  runtime = "",
  { replay, body }: PreparedRequest,
  hasDispatcher = false,
): boolean {
  if (replay === "safe") return false;
  if (replay === "unsafe") return runtime === "cloudflare-workers" ? !body : runtime !== "";
  return /^(deno|bun\/1\.[0-3]\.)/.test(runtime) || (hasDispatcher && runtime.startsWith("node/"));
}

/** The request in a form that the runtime's fetch does not resend. A stream calls `check` when it is written to the connection. */
export function sentOnce({ body, headers, ...init }: FetchInit, check: () => void, runtime = "") {
  // Bun resends a PUT or DELETE, and up to 1.3 a POST, but nothing on a new connection, which keepalive: false demands.
  // Up to 1.3, a request whose body is the stream below hangs.
  if (runtime.startsWith("bun/")) return { ...init, body, headers, keepalive: false };
  const bytes = new TextEncoder().encode(body);
  const source: UnderlyingDefaultSource = {
    // Before it connects, Node reads one chunk ahead, and another for each Request that a wrapper of fetch makes.
    start(controller) {
      for (let chunks = 0; chunks < 4; chunks++) controller.enqueue(new Uint8Array());
    },
    pull(controller) {
      check();
      controller.enqueue(bytes);
      controller.close();
    },
  };
  return {
    ...init,
    body: new ReadableStream(source, { highWaterMark: 0 }),
    duplex: "half",
    headers: { ...headers, "content-length": String(bytes.length) },
    // Otherwise Node 24.14 and 24.15 reject a 401.
    credentials: "omit",
  } as RequestInit;
}

/** How many leading characters reveal a credential. */
const tellingLength = 12;
/** At the end of a text, which may be truncated, fewer suffice. */
const tellingAtEnd = 6;

/** Removes a credential from texts, even a truncated one: a service may echo it, and a proxy may cut the echo. */
export function redactor(credential: string): (text: string) => string {
  let pattern: RegExp | undefined;
  return (text) => {
    // A shorter one would match unrelated words. The pattern is built late, because most calls redact nothing.
    if (credential.length < 8 || text === "") return text;
    pattern ??= patternOf(credential);
    return text.replace(pattern, "[redacted]");
  };
}

function patternOf(credential: string): RegExp {
  // URLs and JSON escape some characters. A text may be cut off within an escape.
  const literal = (text: string) =>
    text.replace(/\W/g, (it) => `(?:\\\\?\\${it}|(?:%|\\\\u00)${it.charCodeAt(0).toString(16)})`);
  const start = credential.slice(0, tellingLength);
  const cut = [...start].map((_, at) => `${literal(start.slice(0, at + 1))}(?:[%\\\\][\\du]*)?$`);
  // A class takes no stack, however long the text is. It includes the characters of escapes.
  const rest = `[${credential.replace(/\W/g, "\\$&")}%\\\\u\\da-f]*`;
  const forms = [literal(credential), literal(start) + rest, ...cut.slice(tellingAtEnd - 1)];
  return new RegExp(forms.join("|"), "gi");
}

function checkIdempotencyKey(key: string | undefined): string {
  if (key === undefined) return crypto.randomUUID();
  if (typeof key === "string" && isVisibleAscii(key) && key.length <= 255) return key;
  throw invalidArgument(
    "idempotencyKey",
    "idempotencyKey must be 1 to 255 printable ASCII characters without spaces. " +
      "idempotencyKeyFrom(...) makes one from anything that identifies the order.",
    "invalid_idempotency_key",
  );
}

// Missing values as text. "." and ".." survive encoding, and URL parsing would resolve them. Some proxies decode slashes,
// then do the same.
const notAnId = /^(undefined|null|NaN|\[object \w+\])?$|(^|[/\\])\.{1,2}([/\\]|$)|\p{Cc}/u;

/** Fills in ids. None of them can change the route. */
function fillPath(path: string, values: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    const isId = typeof value === "string" && !notAnId.test(value) && value.isWellFormed();
    if (isId) return encodeURIComponent(value);
    throw invalidArgument(name, `${name} must be an id from the service, got ${show(value)}.`);
  });
}

/**
 * Gets the credential, which may involve a call to a vault. Returns a failure if the source fails, returns something
 * that cannot be a credential, or takes too long.
 *
 * @param late The failure if it takes too long.
 */
export async function askForCredential(
  { param, value }: HttpSettings["credential"],
  time: Time,
  limitMs: number,
  signal: AbortSignal | undefined,
  late: Extract<Failure, { kind: "timeout" }>,
): Promise<string | Failure> {
  if (typeof value === "string") return value;
  try {
    const given = await within(value(), limitMs, time, signal);
    if (given) return given.value;
  } catch (cause) {
    const fact = `There is no credential: the ${param} function failed. See this error's cause.`;
    const error = ConfigurationError.is(cause)
      ? cause
      : new ConfigurationError(fact, { code: "credential_unavailable", param, cause });
    return { kind: "no_credential", error };
  }
  if (signal?.aborted) return { kind: "aborted", reason: signal.reason };
  const spentOn = `waiting for the ${param} function. Find out what that function is waiting for.`;
  return { ...late, spentOn };
}
