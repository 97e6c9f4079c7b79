import ky, { isNetworkError, TimeoutError } from "ky";
import { runtimeName, version } from "../runtime.ts";
import { show } from "../values.ts";
import { CustomCodeError, copied, describeThrown } from "./hooks.ts";
import { hasNetworkCode, readNetworkError } from "./network-error.ts";
import { type Failure, heldUp } from "./policy.ts";
import { type CallInput, fetchMayResend, type PreparedRequest, sentOnce } from "./request.ts";
import type { FetchInit, FetchResponse, HttpSettings } from "./settings.ts";
import { unlessAborted } from "./time.ts";

export interface Reply {
  readonly kind: "reply";
  readonly response: FetchResponse;
  /** The whole body, empty for a redirect; or why it was not read completely. */
  readonly body: string | Failure;
  /** Whether a hook replaced the service's response. */
  readonly isReplaced: boolean;
}

export interface Attempt extends PreparedRequest, Pick<CallInput, "beforeBody"> {
  /** How long the attempt may take, in milliseconds. */
  readonly withinMs: number;
  /** The failure if it takes longer. */
  readonly late: Failure;
  readonly signal: AbortSignal | undefined;
  /** Removes credentials from a text before it is shown. */
  readonly redact: (text: string) => string;
}

class TooLargeError extends Error {}
const wasRead = "Your fetch function returned a Response that was already read. Return a new one.";

/**
 * Creates the function that sends one request and reads the whole response. Only this file calls ky.
 *
 * @returns The function, which throws only what `beforeBody` throws.
 */
export function createSender(settings: HttpSettings) {
  const { baseUrl, hooks, fetch: customFetch, fetchOptions, maxResponseBytes } = settings;
  const runtime = runtimeName();
  // With a dispatcher, a custom fetch is undici's, which resends the same requests as Node's own.
  const hasDispatcher = typeof Object(fetchOptions?.dispatcher).dispatch === "function";
  // The merchant's own function may read the body, which is text on Bun in any case.
  const ownFetch = customFetch === globalThis.fetch ? undefined : customFetch;
  // Not as the defaults of an instance, which ky merges into each call's options, one by one.
  const common = {
    prefix: baseUrl,
    headers: {
      accept: "application/json",
      // Browsers add their own. If a page set these, CORS would have to allow them.
      ...(runtime && {
        "user-agent": `settlekit/${version} ${runtime}`,
        "cache-control": "no-store",
      }),
      ...settings.headers,
    },
    retry: 0,
    throwHttpErrors: false,
    // Only ky's total timeout includes hooks and the body.
    timeout: false,
    ...(hooks && { hooks }),
  } as const;

  return async (attempt: Attempt): Promise<{ result: Reply | Failure; wasSent: boolean }> => {
    const { method, path, query, headers, body, withinMs, redact } = attempt;
    /** Whether fetch was called. Before that, nothing can have been sent. */
    let hasLeft = false;
    /** Whether the body was written to a connection, on runtimes that report it. */
    let isWritten = false;
    let received: FetchResponse | undefined;
    /** Why the response's body broke. */
    let bodyError: unknown;
    /** The error that `beforeBody` threw. */
    let withheld: unknown;

    async function exchange(): Promise<Reply> {
      const sending = ky(path, {
        ...common,
        method,
        searchParams: query,
        headers: { ...common.headers, ...headers },
        totalTimeout: withinMs,
        fetch: (request) => send(request as Request),
        ...(body !== undefined && { body }),
        ...(attempt.signal && { signal: attempt.signal }),
      });
      let response: FetchResponse;
      try {
        response = await sending;
      } catch (error) {
        const isHookError = error instanceof CustomCodeError && error.option === "hooks";
        if (!isHookError || !received || bodyError === undefined) throw error;
        // A hook was reading the body when it broke.
        const body = bodyFailure(bodyError, received);
        return { kind: "reply", response: received, body, isReplaced: false };
      }
      if (received && response.status !== received.status) {
        cancelBody(response);
        throw new CustomCodeError(
          "hooks",
          `An afterResponse hook turned status ${received.status} into ${response.status}. Keep the status: it shows ` +
            "whether money may have moved.",
        );
      }
      const reply = { kind: "reply", response, isReplaced: response !== received } as const;
      if (isRedirect(response)) {
        cancelBody(response);
        return { ...reply, body: "" };
      }
      try {
        // A custom fetch may return a Response whose text() resolves to parsed JSON or bytes.
        const text = String(await sending.text());
        if (text.length > maxResponseBytes) throw new TooLargeError();
        return { ...reply, body: text };
      } catch (error) {
        return { ...reply, body: bodyFailure(error, response) };
      }
    }

    /** Calls fetch as `fetch(url, init)`: a fetch from another package does not accept the platform's Request. */
    async function send(request: Request): Promise<Response> {
      if (hooks) await hooks.check(request, attempt, settings);
      const { signal } = request;
      // The attempt may have ended during a hook. Then it must not be sent.
      signal.throwIfAborted();
      const init: FetchInit = {
        ...fetchOptions,
        method: request.method,
        headers: Object.fromEntries(request.headers),
        signal,
        // Following a redirect would carry the credential to another origin and turn a POST into a GET.
        redirect: "manual",
        ...cacheMode(),
        ...(body !== undefined && { body }),
      };
      const check = () => {
        try {
          attempt.beforeBody?.();
        } catch (error) {
          withheld = error;
          throw error;
        }
        // The second call comes from the stream, when the body is written.
        isWritten = hasLeft;
      };
      check();
      hasLeft = true;
      const isKnown = !ownFetch || hasDispatcher || runtime?.startsWith("bun/");
      const mayResend = isKnown && fetchMayResend(runtime, attempt, hasDispatcher);
      const given = (mayResend ? sentOnce(init, check, runtime) : init) as FetchInit & RequestInit;
      const answer = Promise.resolve((customFetch ?? globalThis.fetch)(request.url, given));
      const response = await unlessAborted(answer, signal).finally(() => {
        // A fetch that ignores its signal may still resolve with a response that nothing reads.
        if (signal.aborted) answer.then(cancelBody, () => {});
      });
      signal.throwIfAborted();
      if (typeof response?.text !== "function") {
        throw new CustomCodeError(
          "fetch",
          `Your fetch function returned ${show(response)}, which is not a Response. Tests can return Response.json({ ... }).`,
        );
      }
      if (response.redirected) {
        cancelBody(response);
        const { origin } = new URL(response.url || request.url);
        throw new CustomCodeError(
          "fetch",
          `Your fetch function followed a redirect to ${origin}. Make it return the redirect's own response, as with ` +
            'redirect: "manual": another address may get the credential, and its response says nothing about the request.',
        );
      }
      const isBounded =
        isRedirect(response) || (!ownFetch && !hooks && isWithin(response, maxResponseBytes));
      const onError = (error: unknown) => {
        bodyError = error;
      };
      received = isBounded ? response : bounded(response, maxResponseBytes, signal, onError);
      // A Response from another package has everything that ky needs.
      return received as Response;
    }

    function failureOf(error: unknown): Failure {
      const failure = endOf(error);
      if (failure) return failure;
      if (error instanceof CustomCodeError) return customCode(error);
      const thrown = describeThrown(error);
      const by = (option: "hooks" | "fetch", fact: string) =>
        customCode(new CustomCodeError(option, fact, { cause: error }));
      if (!hasLeft) return by("hooks", `The request could not be prepared: ${thrown}.`);
      if (ownFetch && !isNetworkError(error) && !hasNetworkCode(error)) {
        return by("fetch", `Your fetch function threw ${thrown}.`);
      }
      const { kind, code, detail } = readNetworkError(error, new URL(baseUrl), !!ownFetch);
      // A dispatcher that repeats requests may fail to connect only the second time.
      return { kind: isWritten ? "connection" : kind, code: redact(code), detail: redact(detail) };
    }

    function customCode({ option, message, maySend, cause }: CustomCodeError): Failure {
      const had = maySend ? "may have" : "had";
      hasLeft ||= maySend;
      const end = hasLeft ? `The request ${had} been sent.` : "Nothing was sent.";
      const facts = { fact: redact(`${message} ${end}`), cause: copied(cause, redact) };
      return { kind: "custom_code", option, wasSent: hasLeft, ...facts };
    }

    /** The failure if the attempt was aborted or took too long. */
    function endOf(error: unknown): Failure | undefined {
      if (attempt.signal?.aborted) return { kind: "aborted", reason: attempt.signal.reason };
      if (!(error instanceof TimeoutError)) return undefined;
      return { ...attempt.late, ...(!hasLeft && { spentOn: heldUp }) };
    }

    function bodyFailure(error: unknown, { status }: FetchResponse): Failure {
      if (error instanceof TooLargeError) {
        return { kind: "too_large", status, maxBytes: maxResponseBytes, requestId: undefined };
      }
      // Part of the response arrived, so the request was sent, whatever the platform calls the error.
      const { code, detail } = readNetworkError(error);
      return endOf(error) ?? { kind: "connection", code: redact(code), detail: redact(detail) };
    }

    const result = await exchange()
      .catch(failureOf)
      // The fields of an error from the merchant's code may throw when they are read.
      .catch(() => failureOf(new Error("its message cannot be read")));
    if (withheld !== undefined) throw withheld;
    return { result, wasSent: hasLeft };
  };
}

/** Whether a response is a redirect, as servers or as browsers report it. */
export function isRedirect({ status, type }: FetchResponse): boolean {
  return type === "opaqueredirect" || (status >= 300 && status < 400);
}

/** Some runtimes refuse requests that have a cache mode. */
let takesCacheMode: boolean | undefined;

function cacheMode(): { cache?: "no-store" } {
  try {
    takesCacheMode ??= Boolean(new Request("https://cache.invalid", { cache: "no-store" }));
  } catch {
    takesCacheMode = false;
  }
  return takesCacheMode ? { cache: "no-store" } : {};
}

/** Frees the connection. Some packages' bodies cannot be cancelled. */
function cancelBody(response: FetchResponse | undefined): void {
  (response?.body as Partial<ReadableStream> | null | undefined)?.cancel?.()?.catch?.(() => {});
}

/** Whether the declared length, which the platform enforces, is within the limit. */
function isWithin({ headers, body }: FetchResponse, maxBytes: number): boolean {
  const length = headers.get("content-length");
  if (body === null) return true;
  return length !== null && Number(length) <= maxBytes && !headers.get("content-encoding");
}

/** The response with a body that fails if it exceeds the limit or the call ends. */
function bounded(
  response: FetchResponse,
  maxBytes: number,
  signal: AbortSignal,
  onError: (error: unknown) => void,
) {
  const { body, bodyUsed, headers } = response as Response;
  const source = asWebStream(body);
  if (source === undefined || !(Symbol.iterator in headers)) return response;
  if (source === body && (bodyUsed || source.locked)) throw new CustomCodeError("fetch", wasRead);
  let bytes = 0;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new TooLargeError();
      controller.enqueue(chunk);
    },
  });
  source.pipeTo(writable, { signal }).catch(onError);
  return answeringLike(new Response(readable, { headers: [...headers] }), response as Response);
}

/** Copies to a response, and to the clones that hooks get, values that the Response constructor may refuse. */
function answeringLike(response: Response, received: Response): Response {
  const { url, status, statusText } = received;
  return Object.defineProperties(response, {
    url: { value: url },
    status: { value: status },
    statusText: { value: statusText },
    ok: { value: status >= 200 && status < 300 },
    clone: { value: () => answeringLike(Response.prototype.clone.call(response), received) },
  });
}

/** Some packages' bodies are Node's own streams. */
function asWebStream(body: object | null | undefined): ReadableStream<Uint8Array> | undefined {
  if (!body || body instanceof ReadableStream) return body ?? undefined;
  const { from } = ReadableStream as { from?: (source: object) => ReadableStream<Uint8Array> };
  return Symbol.asyncIterator in body ? from?.(body) : undefined;
}
