import { type HeaderNames, headerNames } from "./headers.ts";
import { checkOption } from "./option-check.ts";
import type { WebhookSecretProvider, WebhookSecrets } from "./secret.ts";
import type { Webhook } from "./webhook.ts";

/** The part of `console` that is used; most loggers fit. */
export interface WebhookLogger {
  warn(message: string, details: Record<string, unknown>): void;
  error(message: string, details: Record<string, unknown>): void;
}

/** How webhooks are verified, and who hears of trouble. */
export interface WebhooksOptions {
  /** The endpoint's webhook secret. Default: the environment variable SETTLEKIT_WEBHOOK_SECRET. */
  readonly secret?: WebhookSecrets | WebhookSecretProvider | undefined;
  /**
   * How far a delivery's timestamp may be from now, in seconds and in either direction. Default: 300.
   * `Infinity` accepts any age, and with it replays.
   */
  readonly toleranceSeconds?: number | undefined;
  /** What the service's header names begin with. Default: `X-Service`. */
  readonly headerPrefix?: string | undefined;
  /** Larger bodies are refused. Default: 1,048,576 bytes. */
  readonly maxBodyBytes?: number | undefined;
  /** The clock. Default: the system's. */
  readonly now?: (() => Date) | undefined;
  /**
   * Hears of refused deliveries (`warn`) and of failures on the receiving side (`error`). With it or
   * `onError`, a signature that does not match is examined for the usual causes.
   */
  readonly logger?: WebhookLogger | undefined;
  /**
   * Receives every error that made `fetchHandler`, `nodeHandler` or `lambdaHandler` answer with anything
   * but 200, and the webhook if it was verified by then. It is waited for.
   */
  readonly onError?: ((error: unknown, webhook?: Webhook) => unknown) | undefined;
}

export interface Settings {
  readonly toleranceSeconds: number;
  readonly headers: HeaderNames;
  readonly maxBodyBytes: number;
  readonly now: () => Date;
  readonly logger: WebhookLogger | undefined;
  readonly onError: WebhooksOptions["onError"];
}

/** Throws a ConfigurationError for the first option that cannot be right. */
export function readSettings(options: WebhooksOptions): Settings {
  const {
    toleranceSeconds = 300,
    maxBodyBytes = 1_048_576,
    now = () => new Date(),
    logger,
    onError,
  } = options;
  checkOption(
    "toleranceSeconds",
    typeof toleranceSeconds === "number" && toleranceSeconds >= 0,
    "0 or more",
  );
  checkOption(
    "maxBodyBytes",
    Number.isSafeInteger(maxBodyBytes) && maxBodyBytes > 0,
    "a whole number above 0",
  );
  checkOption("now", typeof now === "function", "a function that returns a valid Date");
  checkOption(
    "logger",
    logger === undefined ||
      (typeof logger?.warn === "function" && typeof logger.error === "function"),
    "an object with warn and error",
  );
  checkOption("onError", onError === undefined || typeof onError === "function", "a function");
  return {
    toleranceSeconds,
    headers: headerNames(readHeaderPrefix(options.headerPrefix)),
    maxBodyBytes,
    now,
    logger,
    onError,
  };
}

export function readHeaderPrefix(headerPrefix = "X-Service"): string {
  const isToken = typeof headerPrefix === "string" && /^[\w-]+$/.test(headerPrefix);
  checkOption("headerPrefix", isToken, "the beginning of header names, such as X-Service");
  return headerPrefix;
}
