import { checkOptionNames, environmentVariable, invalidOption, isFunction } from "../values.ts";
import { asRawBody, toBytes } from "./body.ts";
import type { Webhook } from "./event.ts";
import { headerNamesFor } from "./headers.ts";

/** The signing key. Text stands for its UTF-8 bytes, including a prefix such as `whsec_`. */
export type WebhookSecret = string | Uint8Array;

/** One secret, or several during a rotation. */
export type WebhookSecrets = WebhookSecret | readonly WebhookSecret[];

/** Called for every delivery, for example to read from a secret store. */
export type WebhookSecretProvider = () => WebhookSecrets | Promise<WebhookSecrets>;

/** The part of `console` that is used. Loggers that take the details first, such as pino, need an adapter. */
export interface WebhookLogger {
  warn(message: string, details: Record<string, unknown>): void;
  error(message: string, details: Record<string, unknown>): void;
}

/** The options of `Webhooks`. */
export interface WebhooksOptions {
  /** The endpoint's webhook secret. Default: the environment variable SETTLEKIT_WEBHOOK_SECRET. */
  readonly secret?: WebhookSecrets | WebhookSecretProvider | undefined;
  /**
   * How far a delivery's timestamp may be from now, in seconds and in either direction. `Infinity` accepts any age,
   * including replays.
   *
   * @defaultValue 300
   */
  readonly toleranceSeconds?: number | undefined;
  /** The prefix of the service's own headers. Default: SETTLEKIT_HEADER_PREFIX, else `X-Service`. */
  readonly headerPrefix?: string | undefined;
  /**
   * Larger bodies are refused.
   *
   * @defaultValue 1_048_576
   */
  readonly maxBodyBytes?: number | undefined;
  /**
   * How long a body may take to arrive, in milliseconds, if settlekit reads it.
   *
   * @defaultValue 10_000
   */
  readonly bodyTimeoutMs?: number | undefined;
  /** The clock. Default: the system's. */
  readonly now?: (() => Date) | undefined;
  /**
   * Receives refused POSTs and events without a handler (`warn`), and failures on the receiving side (`error`).
   * Default: the console, except for what `onError` receives.
   */
  readonly logger?: WebhookLogger | undefined;
  /**
   * Receives every error that made `fetchHandler`, `nodeHandler` or `lambdaHandler` refuse a POST or fail, and the
   * webhook if it was already verified. The handler awaits it.
   */
  readonly onError?: ((error: unknown, webhook?: Webhook) => unknown) | undefined;
}

/** The options of `Webhooks`, checked and with defaults filled in. */
export type Settings = Readonly<ReturnType<typeof readSettings>>;

const optionNames = [
  "secret",
  "toleranceSeconds",
  "headerPrefix",
  "maxBodyBytes",
  "bodyTimeoutMs",
  "now",
  "logger",
  "onError",
] as const satisfies readonly (keyof WebhooksOptions)[];

export const isPositiveInteger = (value: unknown) =>
  Number.isSafeInteger(value) && Number(value) > 0;

/** Throws a ConfigurationError for the first unknown or invalid option. */
export function readSettings(options: WebhooksOptions) {
  checkOptionNames(options, optionNames);
  const { toleranceSeconds = 300, maxBodyBytes = 1_048_576, bodyTimeoutMs = 10_000 } = options;
  const { now = () => new Date(), logger, onError } = options;
  const isDuration = typeof toleranceSeconds === "number" && toleranceSeconds >= 0;
  checkOption("toleranceSeconds", isDuration, "0 or more");
  const headerNames = headerNamesFor(readHeaderPrefix(options.headerPrefix));
  checkOption("maxBodyBytes", isPositiveInteger(maxBodyBytes), "a whole number above 0");
  const isDelay = isPositiveInteger(bodyTimeoutMs) && bodyTimeoutMs < 2 ** 31;
  checkOption("bodyTimeoutMs", isDelay, "a whole number above 0 and below 2^31");
  checkOption("now", isFunction(now), "a function that returns a valid Date");
  const isLogger = isFunction(logger?.warn) && isFunction(logger?.error);
  checkOption("logger", logger === undefined || isLogger, "an object with warn and error");
  checkOption("onError", onError === undefined || isFunction(onError), "a function");
  return { toleranceSeconds, headerNames, maxBodyBytes, bodyTimeoutMs, now, logger, onError };
}

/** Throws a ConfigurationError if an option is invalid. It never receives the value, which may be secret. */
export function checkOption(param: string, isRight: boolean, expected: string): asserts isRight {
  if (isRight) return;
  throw invalidOption(param, `The option ${param} must be ${expected}.`);
}

export function readHeaderPrefix(option?: string): string {
  const source = option === undefined ? "SETTLEKIT_HEADER_PREFIX" : "The option headerPrefix";
  const prefix = option === undefined ? environmentVariable(source) || "X-Service" : option;
  if (typeof prefix === "string" && /^[A-Za-z0-9-]{0,99}[A-Za-z0-9]$/.test(prefix)) return prefix;
  const problem = `${source} must be letters, digits and inner hyphens, such as X-Service.`;
  throw invalidOption("headerPrefix", problem);
}

export const secretVariable = "SETTLEKIT_WEBHOOK_SECRET";

/** The secrets' keys. Throws a ConfigurationError that does not show them. */
export function secretKeys(secrets: unknown): readonly Uint8Array<ArrayBuffer>[] {
  const expected =
    "a non-empty string or bytes, or a function that returns it. If it comes from an environment variable, check that the variable is set";
  const list = [secrets].flat();
  checkOption("secret", list.length > 0, expected);
  return list.map((secret) => secretKey(secret, expected));
}

export function secretKey(secret: unknown, expected = "a non-empty string or bytes") {
  const key = asRawBody(secret);
  // With an empty key, anyone could sign.
  checkOption("secret", key !== undefined && key.length > 0, expected);
  // A copy, so that the key cannot change afterwards. A Buffer's slice() would not copy.
  return new Uint8Array(toBytes(key));
}
