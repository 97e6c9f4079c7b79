import { ConfigurationError } from "../errors.ts";
import { maxAmountInCents } from "../wire/payment.ts";
import type { Seed } from "./random.ts";
import type { Deliver } from "./webhooks/endpoint.ts";

/** What kind of service the sandbox plays. What is said of a merchant applies to each that does not say otherwise. */
export interface SandboxOptions extends MerchantOptions {
  /**
   * Makes ids, addresses, hashes, prices and their order the same from run to run. Without it they are random.
   * A reset begins the same sequence again.
   */
  readonly seed?: Seed | undefined;
  /**
   * What the merchants' ids and secrets are made from: they are the same wherever this is. Default: the seed;
   * without one, each sandbox has secrets of its own.
   */
  readonly identity?: Seed | undefined;
  /** Freezes the clock at this time until `clock.advance` moves it. Without it, real time runs. */
  readonly now?: Date | undefined;
  /**
   * A SQLite file that holds everything, from one process to the next: its name; a new file is made where there is
   * none. What is in the file goes before `seed`, `identity` and `now`, which are for a new one. Default: nothing is
   * written.
   */
  readonly data?: string | undefined;
  /** Several merchants, each with keys of its own: `[{}, {}]` for two. Default: one. */
  readonly merchants?: readonly MerchantOptions[] | undefined;
}

/** A merchant of its own, with its keys, its endpoint and its rights. */
export interface MerchantOptions {
  /** The payments' `merchantShortName`. Default `Sandbox Merchant`, with a number from the second on. */
  readonly name?: string | undefined;
  /** Where webhooks are sent to. Without it and without `deliver` they are recorded only. */
  readonly webhookUrl?: string | URL | undefined;
  /** Receives webhooks in process, instead of the network. A 2xx answer accepts one. */
  readonly deliver?: Deliver | undefined;
  /** What the merchant may do. */
  readonly limits?: SandboxLimits | undefined;
  /** Whether the merchant may create deposits. Default true. */
  readonly depositsEnabled?: boolean | undefined;
  /** Whether the merchant may create withdrawals. Default true. */
  readonly withdrawalsEnabled?: boolean | undefined;
}

/** Bounds on which descriptions of the service differ. */
export interface SandboxLimits {
  /** The smallest payment, in USD cents. Default 250; 100 and 400 are in circulation as well. */
  readonly minPaymentInCents?: number | undefined;
}

/** What the merchants are asked to be, one by one. */
export function merchantOptionsOf({
  merchants = [{}],
  ...common
}: SandboxOptions): readonly MerchantOptions[] {
  const { name, webhookUrl, deliver, limits, depositsEnabled, withdrawalsEnabled } = common;
  const usual = { name, webhookUrl, deliver, limits, depositsEnabled, withdrawalsEnabled };
  return merchants.map((asked) => ({ ...usual, ...asked }));
}

const usualMinPaymentInCents = 250;

export function checkedMinPaymentInCents(limits: SandboxLimits = {}): number {
  const { minPaymentInCents = usualMinPaymentInCents } = limits;
  const isPossible = Number.isInteger(minPaymentInCents) && minPaymentInCents >= 1;
  if (isPossible && minPaymentInCents <= maxAmountInCents) return minPaymentInCents;
  throw new ConfigurationError(
    `limits.minPaymentInCents must be a whole number from 1 to ${maxAmountInCents}.`,
    { code: "invalid_limit", param: "limits.minPaymentInCents" },
  );
}
