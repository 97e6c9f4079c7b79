import { show } from "../values.ts";
import { idempotencyKeyHeader } from "../wire/credential.ts";
import { isSecureUrl } from "./base-url.ts";
import { unlessAborted } from "./time.ts";

/** The argument of a `beforeRequest` hook, a part of ky's state. */
export interface BeforeRequestState {
  /** The request about to be sent. Set headers on it, or return another Request. */
  readonly request: Request;
  readonly options: object;
  /** Always 0: settlekit retries instead of ky. */
  readonly retryCount: number;
}

/** The argument of an `afterResponse` hook, a part of ky's state. */
export interface AfterResponseState extends BeforeRequestState {
  /** A clone: reading its body does not affect the call. */
  readonly response: Response;
}

/** The result of `ky.retry()`. Only the type allows it: settlekit itself decides about retries. */
type RetryMarker = { readonly options?: object | undefined };

// Method syntax makes parameters bivariant, so hooks written for ky's larger state are assignable.

interface BeforeRequest {
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook that returns nothing has this type.
  hook(state: BeforeRequestState): Request | Response | void | Promise<Request | Response | void>;
}

interface AfterResponse {
  hook(
    state: AfterResponseState,
    // biome-ignore lint/suspicious/noConfusingVoidType: a hook that returns nothing has this type.
  ): Response | RetryMarker | void | Promise<Response | RetryMarker | void>;
}

/** Called before each request is sent, with ky's signature. May set headers on it, or return another Request. */
export type BeforeRequestHook = BeforeRequest["hook"];
/** Called with each response, with ky's signature. May return another Response with the same status. */
export type AfterResponseHook = AfterResponse["hook"];

/**
 * Hooks with ky's signatures, called around every attempt. `beforeRequest` may add headers, or change the URL by
 * returning another Request; it must not change the method, the body or Idempotency-Key. If it throws, nothing is sent;
 * if it returns a Response, the call fails, because the hook may have sent the request itself. `afterResponse` may
 * return another Response with the same status. If it throws, the outcome of a call that changes something is unknown.
 */
export interface ClientHooks {
  /** Called in order before each request is sent. */
  beforeRequest?: readonly BeforeRequestHook[] | undefined;
  /** Called in order with each response. */
  afterResponse?: readonly AfterResponseHook[] | undefined;
}

export class CustomCodeError extends Error {
  readonly option: "hooks" | "fetch";
  /** Whether the code may have sent the request itself. */
  readonly maySend: boolean;

  constructor(
    option: "hooks" | "fetch",
    message: string,
    more?: { cause?: unknown; maySend?: boolean },
  ) {
    super(message, more);
    this.option = option;
    this.maySend = more?.maySend ?? option === "fetch";
  }
}

/** Wraps the hooks for ky: failures name the hook, and a hook that hangs ends with the call. */
export function watched({ beforeRequest = [], afterResponse = [] }: ClientHooks) {
  const beforeRule =
    " in place of the service's response. Return a Request or nothing; to answer requests yourself in tests, use the " +
    "fetch option.";
  const afterRule = ". Return a Response or nothing: settlekit itself decides about retries.";
  return {
    beforeRequest: beforeRequest.map((hook) =>
      watchedHook("A beforeRequest", hook, Request, beforeRule),
    ),
    afterResponse: afterResponse.map((hook) =>
      watchedHook("An afterResponse", hook, Response, afterRule),
    ),
    check: checkHooked,
  };
}

/** Wraps a hook, which may return an instance of the class or nothing. */
function watchedHook<State extends BeforeRequestState, Given>(
  name: string,
  hook: (state: State) => unknown,
  Given: new (...values: never) => Given,
  rule: string,
) {
  return async (state: State): Promise<Given | undefined> => {
    const { signal } = state.request;
    let given: unknown;
    try {
      given = await unlessAborted(Promise.resolve(hook(state)), signal);
      signal.throwIfAborted();
    } catch (error) {
      const fact = `${name} hook threw ${describeThrown(error)}.`;
      throw new CustomCodeError("hooks", fact, { cause: error });
    }
    // ky would mistake the clone for another response.
    if ("response" in state && given === state.response) return undefined;
    if (given === undefined || given instanceof Given) return given && endingWith(given, signal);
    const fact = `${name} hook returned ${show(given)}${rule}`;
    throw new CustomCodeError("hooks", fact, { maySend: given instanceof Response });
  };
}

/** A hook's own Request may lack the signal with which ky ends the attempt. */
function endingWith<Given>(given: Given, signal: AbortSignal): Given {
  if (!(given instanceof Request) || given.bodyUsed) return given;
  return new Request(given, { signal: AbortSignal.any([given.signal, signal]) }) as Given;
}

/**
 * Refuses a request if hooks changed its method, body or idempotency key, because attempts that differ could pay twice,
 * or if its URL would send the credential in plain text.
 */
async function checkHooked(
  request: Request,
  asked: { method: string; headers: Record<string, string>; body: string | undefined },
  { allowHttp }: { readonly allowHttp: boolean },
): Promise<void> {
  const refuse = (fact: string) => {
    throw new CustomCodeError("hooks", `A beforeRequest hook ${fact}`);
  };
  const key = idempotencyKeyHeader.toLowerCase();
  const cure = "It may add headers and change the URL.";
  if (request.method !== asked.method) refuse(`changed the method. ${cure}`);
  if (request.headers.get(key) !== (asked.headers[key] ?? null)) {
    refuse(`changed the ${idempotencyKeyHeader}. ${cure}`);
  }
  if (request.bodyUsed) refuse("read the request's body. Read a request.clone() instead.");
  if ((await request.text()) !== (asked.body ?? "")) refuse(`changed the body. ${cure}`);
  if (!isSecureUrl(new URL(request.url), allowHttp)) refuse("returned a URL that is not https.");
}

export function describeThrown(error: unknown): string {
  return error instanceof Error ? String(error) : show(error);
}

/** Copies an error without its properties, such as the request, whose headers contain the credential. */
export function copied(error: unknown, redact: (text: string) => string): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  const copy = new Error(redact(error.message));
  copy.name = redact(error.name);
  if (error.stack !== undefined) copy.stack = redact(error.stack);
  return copy;
}
