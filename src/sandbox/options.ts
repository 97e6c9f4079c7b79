import * as z from "zod/mini";
import { must } from "../wire/fields.ts";
import { maxAmountInCents } from "../wire/payment.ts";
import { endOfTimeMs, isWholeWithin } from "./checks.ts";
import type { Seed } from "./random.ts";
import type { Deliver } from "./webhooks/endpoint.ts";

/** The published form of responses and webhooks. */
export type Dialect = "documented" | "published";

/** The options of a sandbox. Merchant options apply to every merchant that does not override them. */
export interface SandboxOptions extends MerchantOptions {
  /**
   * Makes ids, addresses and hashes the same in every run. Without a seed, they are random. A reset restarts the same
   * sequence.
   */
  readonly seed?: Seed | undefined;
  /** Determines the merchants' ids and secrets. Default: the seed; without one, every sandbox has its own secrets. */
  readonly identity?: Seed | undefined;
  /** Freezes the clock at this time; only `clock.advance` moves it. Default: real time. */
  readonly now?: Date | undefined;
  /**
   * The name of an SQLite file that keeps everything between processes, created if it does not exist. The contents of
   * an existing file take precedence over `seed`, `identity` and `now`. Default: nothing is written.
   */
  readonly data?: string | undefined;
  /**
   * The prefix of the service's own headers, in requests and webhooks. Default: the environment variable
   * `SETTLEKIT_HEADER_PREFIX`, else `X-Service`.
   */
  readonly headerPrefix?: string | undefined;
  /**
   * The published form that the sandbox speaks: `documented`, or `published` with CAIP-2 chain ids, an address
   * per quote, and webhooks as `{ type, data: { payment } }`. Default `documented`.
   */
  readonly dialect?: Dialect | undefined;
  /** Several merchants, each with its own keys: `[{}, {}]` for two. Default: one. */
  readonly merchants?: readonly MerchantOptions[] | undefined;
}

/** A merchant with its own keys, endpoint and permissions. */
export interface MerchantOptions {
  /** `merchantShortName` of the payments. Default `Sandbox Merchant`, numbered from the second merchant on. */
  readonly name?: string | undefined;
  /** The URL of the webhook endpoint. Without it and without `deliver`, webhooks are only recorded. */
  readonly webhookUrl?: string | URL | undefined;
  /** Receives webhooks in process, instead of the network. A 2xx response accepts a webhook. */
  readonly deliver?: Deliver | undefined;
  /** Limits for the merchant. */
  readonly limits?: SandboxLimits | undefined;
  /** Whether the merchant may create deposits. Default true. */
  readonly depositsEnabled?: boolean | undefined;
  /** Whether the merchant may create withdrawals. Default true. */
  readonly withdrawalsEnabled?: boolean | undefined;
}

/** Limits that descriptions of the service disagree on. */
export interface SandboxLimits {
  /** The smallest payment, in USD cents. Default 250; other descriptions say 100 or 400. */
  readonly minPaymentInCents?: number | undefined;
}

/** A rule whose error has its own code instead of `invalid_option`. */
export function withCode(code: string, rule: z.core.$ZodCustomParams) {
  return { ...rule, params: { code } };
}

function isWebhookUrl(value: unknown): boolean {
  const { protocol = "", username, password } = URL.parse(String(value)) ?? {};
  return /^https?:$/.test(protocol) && !username && !password;
}

/** Does not show the value, which may contain a password. */
const webhookUrlRule = withCode("invalid_webhook_url", {
  error:
    "webhookUrl must be an absolute http or https URL without credentials, such as http://127.0.0.1:3000/webhooks.",
});

const merchantFields = {
  name: z.string(must("a string")),
  webhookUrl: z.custom<string | URL>(isWebhookUrl, webhookUrlRule),
  deliver: z.custom<Deliver>(
    (value) => typeof value === "function",
    must("a function that takes a Request and returns a Response"),
  ),
  limits: optionsOf({
    minPaymentInCents: z.custom<number>(
      (value) => isWholeWithin(value, 1, maxAmountInCents),
      withCode("invalid_limit", must(`a whole number from 1 to ${maxAmountInCents}`)),
    ),
  }),
  depositsEnabled: z.boolean(must("true or false")),
  withdrawalsEnabled: z.boolean(must("true or false")),
};

const fileName = must("the name of a file");

export const sandboxSchema = optionsOf({
  ...merchantFields,
  seed: z.union([z.string(), z.number()], must("a string or a number")),
  identity: z.union([z.string(), z.number()], must("a string or a number")),
  now: z.custom<Date>(
    (value) => value instanceof Date && isWholeWithin(value.getTime(), 0, endOfTimeMs),
    withCode("invalid_now", must("a valid Date from 1970 to 5138", " Leave it out for real time.")),
  ),
  // Checked where it is used.
  headerPrefix: z.string(must("a string, such as X-Service")),
  dialect: z.enum(["documented", "published"], must('"documented" or "published"')),
  data: z.string(fileName).check(z.minLength(1, fileName)),
  merchants: z
    .array(optionsOf(merchantFields), must("an array of objects, such as [{}, {}]"))
    .check(
      z.refine(
        (them) => them.length > 0,
        withCode("no_merchants", {
          error: "merchants is empty. Pass at least one, or leave it out.",
        }),
      ),
    ),
});

/** Makes all options optional and rejects unknown ones. */
export function optionsOf<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.partial(z.strictObject(shape));
}
