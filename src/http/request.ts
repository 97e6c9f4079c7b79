import {
  ConfigurationError,
  InvalidRequestError,
  type Outcome,
  SettlekitError,
} from "../errors.ts";
import { credentialHeader, idempotencyKeyHeader, isVisibleAscii } from "../wire/credential.ts";
import type { Operation } from "../wire/operations.ts";
import { randomIdempotencyKey } from "./idempotency.ts";
import {
  type CredentialSource,
  checkHeaders,
  type HttpSettings,
  type RequestOptions,
} from "./settings.ts";
import { type Time, within } from "./time.ts";

/** What a call fills its operation with. */
export interface CallInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
  /**
   * Called when a request has its turn and is about to leave, with what became of the ones before it. When it
   * throws, nothing leaves.
   */
  readonly beforeSend?: (outcome: Outcome) => Promise<void>;
}

/** What all attempts of a call have in common: they send the same bytes. */
export interface PreparedRequest {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
  readonly idempotencyKey: string | undefined;
}

/** @throws {InvalidRequestError} when an argument can never be right. */
export function prepareRequest(
  operation: Operation<unknown>,
  input: CallInput,
  options: RequestOptions,
  client: {
    readonly settings: HttpSettings;
    readonly headers: Readonly<Record<string, string>>;
  },
): PreparedRequest {
  const { settings } = client;
  const idempotencyKey =
    operation.replay === "safe" ? undefined : checkIdempotencyKey(options.idempotencyKey);
  const body = input.body === undefined ? undefined : JSON.stringify(input.body);
  const headers: Record<string, string> = {
    ...client.headers,
    ...(options.headers !== undefined && checkHeaders(options.headers, settings.wire.headerPrefix)),
    ...(body !== undefined && { "content-type": "application/json" }),
    ...(idempotencyKey !== undefined && { [idempotencyKeyHeader.toLowerCase()]: idempotencyKey }),
  };
  const url = settings.baseUrl + fillPath(operation.path, input.path ?? {}) + search(input.query);
  return { url, headers, body, idempotencyKey };
}

export function setCredential(
  headers: Record<string, string>,
  operation: Operation<unknown>,
  credential: string,
  settings: HttpSettings,
): void {
  const { name, scheme } = credentialHeader(operation.credential, settings.wire.headerPrefix);
  headers[name.toLowerCase()] = scheme + credential;
}

function checkIdempotencyKey(key: string | undefined): string {
  if (key === undefined) return randomIdempotencyKey();
  if (typeof key === "string" && isVisibleAscii(key) && key.length <= 255) return key;
  throw new InvalidRequestError(
    "idempotencyKey must be 1 to 255 printable ASCII characters without spaces. " +
      "idempotencyKeyFrom(...) makes one from anything that identifies the order.",
    { code: "invalid_idempotency_key", param: "idempotencyKey" },
  );
}

/** Puts ids into a path so that none can lead to another route. */
function fillPath(path: string, values: Readonly<Record<string, string>>): string {
  if (!path.includes("{")) return path;
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    // "." and ".." survive encoding, and URL parsing would walk up the path with them.
    if (typeof value === "string" && !/^\.{0,2}$|\p{Cc}/u.test(value) && value.isWellFormed()) {
      return encodeURIComponent(value);
    }
    throw new InvalidRequestError(
      `${name} must be the id that the service gave, got ${describeId(value)}.`,
      { code: "invalid_request", param: name },
    );
  });
}

function describeId(value: unknown): string {
  if (typeof value !== "string") return value === null ? "null" : typeof value;
  return value === "" ? "an empty string" : JSON.stringify(value.slice(0, 40));
}

function search(query: CallInput["query"]): string {
  if (query === undefined) return "";
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}

interface Asking {
  readonly limitMs: number;
  readonly signal: AbortSignal | undefined;
  /** What the call has come to so far: a token is also asked for after a 401. */
  facts(): {
    readonly operation: string;
    readonly attempts: number;
    readonly outcome: Outcome;
  };
}

/**
 * Asks for the credential, which may be a call to a vault. Gives `undefined` when the time ran out or
 * the signal aborted first.
 *
 * @throws {ConfigurationError} when the source fails, or gives what cannot be a credential.
 */
export async function askForCredential(
  source: CredentialSource,
  time: Time,
  { limitMs, signal, facts }: Asking,
): Promise<string | undefined> {
  try {
    const given = source.get();
    if (typeof given === "string") return given;
    return (await within(given, limitMs, time, signal))?.value;
  } catch (error) {
    if (SettlekitError.is(error)) throw error;
    const { operation, attempts, outcome } = facts();
    throw new ConfigurationError(
      `${operation} got no credential: the ${source.param} function failed. Its error is the cause of ` +
        "this one.",
      {
        code: "credential_unavailable",
        param: source.param,
        operation,
        attempts,
        outcome,
        cause: error,
      },
    );
  }
}
