import { callSite, isRecord, parsedJson } from "../values.ts";
import { readErrorBody } from "../wire/envelope.ts";
import { readTolerantly } from "../wire/fields.ts";
import type { Operation } from "../wire/operation.ts";
import type { Failure } from "./policy.ts";
import type { CallInput } from "./request.ts";
import { isRedirect, type Reply } from "./send.ts";
import type { ApiResponse, HttpSettings } from "./settings.ts";
import { readHttpDate, type Time } from "./time.ts";

export type { ApiResponse };

/**
 * The result of every call: await it for the value, or `withResponse()` for the value with its response.
 * The request starts as soon as the method is called.
 *
 * @example
 * ```ts
 * const payment = await client.payments.get(paymentId);
 * const { data, requestId, attempts } = await client.payments.get(paymentId).withResponse();
 * ```
 */
export class ApiPromise<T> extends Promise<T> {
  readonly #response: Promise<ApiResponse<T>>;

  /** `then`, `catch` and `finally` return plain promises: only the call itself has a response. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  constructor(response: Promise<ApiResponse<T>>, operation?: string) {
    const fail = callSite(new.target, operation);
    super((resolve) => resolve(response.then(({ data }) => data, fail)));
    this.#response = response;
  }

  /** The value with the status, headers and request id of its response. */
  withResponse(): Promise<ApiResponse<T>> {
    return this.then(() => this.#response);
  }
}

/** A success, read as far as possible. */
export interface Success<T> extends Omit<ApiResponse<T>, "idempotencyKey" | "attempts"> {
  readonly kind: "success";
  /** Where the response differs from its schema; empty if it matches. */
  readonly drift: readonly string[];
}

/** Limited, because request ids appear in messages. */
const maxRequestIdLength = 500;

/** Reads a response as a success, or as the reason why the attempt failed. */
export function readReply<T>(
  operation: Operation<T>,
  input: CallInput<T>,
  { response, body, isReplaced }: Reply,
  settings: HttpSettings,
  time: Time,
  redact: (text: string) => string,
): Success<T> | Failure {
  const { status } = response;
  // Other implementations of Headers have the methods used here.
  const headers = response.headers as Headers;
  const givenId = headers.get(settings.wire.requestIdHeader) ?? "";
  const requestId = redact(givenId).slice(0, maxRequestIdLength) || undefined;
  if (isRedirect(response)) {
    const location = headers.get("location") ?? "";
    const isUrl = location !== "" && URL.canParse(location, settings.baseUrl);
    const origin = isUrl ? redact(new URL(location, settings.baseUrl).origin) : undefined;
    return { kind: "redirect", status, origin, requestId };
  }
  // An opaque or failed response from a custom fetch: the service did not answer.
  if (status < 200) {
    return { kind: "connection", code: "no_answer", detail: `a response of type ${response.type}` };
  }
  if (response.ok) {
    if (typeof body !== "string") return "requestId" in body ? { ...body, requestId } : body;
    return readSuccess(operation, input, { status, headers, rawBody: body, requestId }, redact);
  }
  if (typeof body !== "string" && body.kind === "aborted") return body;
  // The status counts even if the body did not arrive.
  const { isKnownForm, ...facts } = readErrorBody(typeof body === "string" ? body : "", redact);
  return {
    kind: "status",
    status,
    facts,
    isFromService: isKnownForm && !isReplaced,
    retryAfterMs: readRetryAfter(headers, time.wallClock()),
    requestId: requestId ?? facts.requestId,
  };
}

/**
 * Reads the body of a success. A value that does not fit its schema is still a success: throwing it
 * away would lose what the service created.
 */
function readSuccess<T>(
  { essential, response }: Operation<T>,
  input: CallInput<T>,
  answer: Pick<Success<T>, "status" | "headers" | "rawBody" | "requestId">,
  redact: (text: string) => string,
): Success<T> | Failure {
  const { status, rawBody: text, requestId } = answer;
  const body = parsedJson(text);
  const isObject = essential === "a list" ? Array.isArray(body) : isRecord(body);
  if (essential === "anything" ? body === undefined : !isObject) {
    // In a custom request, only the caller knows what text or an empty body means. Truncated JSON and a proxy's page
    // did not come from the service.
    const isText = !/json|html/i.test(answer.headers.get("content-type") ?? "");
    if (essential === "anything" && (isText || text === "")) {
      return { ...answer, kind: "success", data: (text || undefined) as T, drift: [] };
    }
    return { kind: "unreadable", status, text: redact(text), requestId };
  }
  const { value: data, drift } = readTolerantly(response, body);
  const needed = typeof essential === "string" ? [] : essential;
  const isMissing = (name: string) =>
    drift.includes(name) || (body as Record<string, unknown>)[name] === "";
  const missing = needed.filter(isMissing);
  if (missing.length > 0) return { kind: "incomplete", status, fields: missing, body, requestId };
  const differing = input.differing?.(data) ?? [];
  if (differing.length > 0)
    return { kind: "differing", status, fields: differing, body, requestId };
  const paths = new Set([...drift, ...inexactIntegers(body, text)]);
  return { ...answer, kind: "success", data, drift: [...paths].map(redact) };
}

/** The paths of integers with more digits than a double holds exactly. */
function inexactIntegers(body: unknown, text: string): string[] {
  // Most responses can skip the walk: their long integers are strings.
  if (typeof body !== "number" && !/[:,[]\s*-?\d{16}/.test(text)) return [];
  const paths: string[] = [];
  const left: { readonly value: unknown; readonly path: string }[] = [{ value: body, path: "" }];
  // Iterative, because a response may be nested deeper than the stack allows.
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, path } = next;
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) paths.push(path);
    if (typeof value !== "object" || value === null) continue;
    for (const [name, inner] of Object.entries(value).reverse()) {
      const key = Array.isArray(value) ? "*" : name;
      const deeper = path === "" ? key : `${path}.${key}`;
      // Limited: the paths of a deeply nested response would take the square of its size.
      left.push({ value: inner, path: deeper.slice(0, 200) });
    }
  }
  return paths;
}

/**
 * How many milliseconds a Retry-After header (seconds or an HTTP date) asks to wait. A date is compared with the
 * response's own Date header, so a wrong local clock does not matter.
 */
export function readRetryAfter(headers: Headers, wallClockMs: number): number | undefined {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}(\.\d{1,3})?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const until = readHttpDate(text);
  if (until === undefined) return undefined;
  return Math.max(0, until - (readHttpDate(headers.get("date") ?? "") ?? wallClockMs));
}
