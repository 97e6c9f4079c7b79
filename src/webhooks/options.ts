import { ConfigurationError } from "../errors.ts";
import { checkOptionNames, environmentVariable } from "../values.ts";
import { asRawBody, toBytes } from "./body.ts";
import type { Webhook } from "./event.ts";
import { headerNames } from "./headers.ts";

/** A text's UTF-8 bytes are the key, whatever it starts with; bytes are the key themselves. */
export type WebhookSecret = string | Uint8Array;

/** One secret, or several while one replaces another. */
export type WebhookSecrets = WebhookSecret | readonly WebhookSecret[];

/** Called for every delivery, for example to read a secret store. */
export type WebhookSecretProvider = () => WebhookSecrets | Promise<WebhookSecrets>;

/** The part of `console` that is used; most loggers fit. */
export interface WebhookLogger {
  warn(message: string, details: Record<string, unknown>): void;
  error(message: string, details: Record<string, unknown>): void;
}

/** The options of `Webhooks`. */
export interface WebhooksOptions {
  /** The endpoint's webhook secret. Default: the environment variable SETTLEKIT_WEBHOOK_SECRET. */
  readonly secret?: WebhookSecrets | WebhookSecretProvider | undefined;
  /**
   * How far a delivery's timestamp may be from now, in seconds and in either direction. `Infinity`
   * accepts any age, and with it replays.
   *
   * @defaultValue 300
   */
  readonly toleranceSeconds?: number | undefined;
  /**
   * The prefix of the service's own headers. Default: the environment variable
   * SETTLEKIT_HEADER_PREFIX, else `X-Service`.
   */
  readonly headerPrefix?: string | undefined;
  /**
   * Larger bodies are refused.
   *
   * @defaultValue 1_048_576
   */
  readonly maxBodyBytes?: number | undefined;
  /**
   * How long a body may take to arrive, in milliseconds, where settlekit reads it.
   *
   * @defaultValue 10_000
   */
  readonly bodyTimeoutMs?: number | undefined;
  /** The clock. Default: the system's. */
  readonly now?: (() => Date) | undefined;
  /**
   * Receives refused deliveries (`warn`) and failures on the receiving side (`error`). With a logger or
   * `onError`, the usual causes of a signature mismatch are looked for. Default: one line on the console for
   * each, unless there is an `onError`.
   */
  readonly logger?: WebhookLogger | undefined;
  /**
   * Receives every error that made `fetchHandler`, `nodeHandler` or `lambdaHandler` answer with anything
   * but 200, and the webhook if it was already verified. The handler waits for it.
   */
  readonly onError?: ((error: unknown, webhook?: Webhook) => unknown) | undefined;
}

/** A check of an option, and its description. */
export type OptionRule = readonly [isRight: (value: unknown) => boolean, expected: string];

const isFunction = (value: unknown) => typeof value === "function";
const isAbove0 = (value: unknown) => Number.isSafeInteger(value) && Number(value) > 0;

const headerPrefixRule: OptionRule = [
  (value) => typeof value === "string" && /^[\w-]+$/.test(value),
  "the beginning of header names, such as X-Service",
];

const rules: { readonly [Name in keyof WebhooksOptions]-?: OptionRule } = {
  // Checked where the keys are made of it: a function gives it later.
  secret: [() => true, ""],
  toleranceSeconds: [(value) => typeof value === "number" && value >= 0, "0 or more"],
  headerPrefix: headerPrefixRule,
  maxBodyBytes: [isAbove0, "a whole number above 0"],
  bodyTimeoutMs: [
    (value) => isAbove0(value) && Number(value) < 2 ** 31,
    "a whole number above 0 and below 2^31",
  ],
  now: [isFunction, "a function that returns a valid Date"],
  logger: [
    (value) => isFunction(Object(value).warn) && isFunction(Object(value).error),
    "an object with warn and error",
  ],
  onError: [isFunction, "a function"],
};

/** The checked options of `Webhooks`, with the defaults filled in. */
export type Settings = Readonly<ReturnType<typeof readSettings>>;

/** Throws a ConfigurationError for the first option that does not exist or cannot be right. */
export function readSettings(options: WebhooksOptions) {
  checkByRules(options, rules);
  return {
    toleranceSeconds: options.toleranceSeconds ?? 300,
    headers: headerNames(readHeaderPrefix(options.headerPrefix)),
    maxBodyBytes: options.maxBodyBytes ?? 1_048_576,
    bodyTimeoutMs: options.bodyTimeoutMs ?? 10_000,
    now: options.now ?? (() => new Date()),
    logger: options.logger,
    onError: options.onError,
  };
}

/** Throws a ConfigurationError for the first option without a rule, or given against its rule. */
export function checkByRules(options: object, rules: Readonly<Record<string, OptionRule>>): void {
  checkOptionNames(options, Object.keys(rules));
  for (const [name, [isRight, expected]] of Object.entries(rules)) {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined) checkOption(name, isRight(value), expected);
  }
}

/** Throws a ConfigurationError unless an option is right. Never given the value: it may be secret. */
export function checkOption(param: string, isRight: boolean, expected: string): asserts isRight {
  if (isRight) return;
  throw new ConfigurationError(`The option ${param} must be ${expected}.`, {
    code: "invalid_option",
    param,
  });
}

/** The option, else the environment variable, else the documented prefix. */
export function readHeaderPrefix(
  headerPrefix = environmentVariable("SETTLEKIT_HEADER_PREFIX") || "X-Service",
): string {
  const [isRight, expected] = headerPrefixRule;
  checkOption("headerPrefix", isRight(headerPrefix), expected);
  return headerPrefix;
}

export const secretVariable = "SETTLEKIT_WEBHOOK_SECRET";

const expectedSecret = `text or bytes, and not empty. Without it, set ${secretVariable}`;

/** The keys behind the secrets. Throws a ConfigurationError that does not show them. */
export function secretKeys(secrets: unknown): readonly Uint8Array<ArrayBuffer>[] {
  const list = [secrets].flat();
  checkOption("secret", list.length > 0, expectedSecret);
  return list.map(secretKey);
}

export function secretKey(secret: unknown): Uint8Array<ArrayBuffer> {
  const key = asRawBody(secret);
  // With an empty key, anyone could sign.
  checkOption("secret", key !== undefined && key.length > 0, expectedSecret);
  // A copy, so that the key cannot change afterwards. Not by slice, which does not copy a Buffer.
  return new Uint8Array(toBytes(key));
}
