import { integer } from "@optique/core/valueparser";
import { SettlekitError } from "../errors.ts";
import type { Sandbox, SandboxMerchant, SandboxOptions } from "../sandbox/index.ts";
import { defaultHeaderPrefix } from "../wire/credential.ts";
import { readBy, setting, type ValuesOf } from "./command.ts";
import { UsageError } from "./exit-codes.ts";
import { faultFrom } from "./faults.ts";
import { headerPrefix, instant, oneOf, webUrl } from "./options.ts";

/** The options of every command that runs a sandbox. */
export const sandboxOptions = {
  webhookUrls: setting(
    "--webhook-url URL",
    "Where to send webhooks. Without it, they are only recorded. May be repeated: once for each merchant, in order.",
    webUrl,
  ).multiple(),
  seed: setting(
    "--seed TEXT",
    "Makes ids, addresses, hashes and secrets the same from run to run.",
  ).optional(),
  merchants: setting(
    "--merchants NUMBER",
    "How many merchants there are, each with its own keys. Default: 1.",
    integer({ min: 1, max: 100 }),
  ).optional(),
  now: setting(
    "--now TIME",
    "Freezes the clock at this time, such as 2026-01-01T00:00:00Z.",
    instant,
  ).optional(),
  headerPrefix,
  dialect: setting(
    "--dialect DIALECT",
    "The forms of responses and webhooks: those of the interface document (documented, the default) or the newer published ones.",
    oneOf(["documented", "published"]),
  ).optional(),
  faults: setting(
    "--fault FAULT",
    'A fault to inject, such as "POST /payments 503 after". May be repeated.',
    readBy(faultFrom),
  ).multiple(),
};

/**
 * The sandbox that the command line describes.
 *
 * @throws {ConfigurationError} An option is invalid.
 * @throws {UsageError} A fault is invalid.
 */
export async function sandboxFrom(
  values: Partial<ValuesOf<typeof sandboxOptions>> & Pick<SandboxOptions, "identity" | "data">,
): Promise<Sandbox> {
  // Loaded late, so that help does not wait for it.
  const { createSandbox } = await import("../sandbox/index.ts");
  const { merchants: count, webhookUrls = [], faults = [], ...options } = values;
  const isOneEach = webhookUrls.length > 1;
  if (isOneEach && webhookUrls.length !== count) {
    throw new UsageError("Pass --webhook-url once, or once for each of the --merchants.");
  }
  const own = webhookUrls.map((webhookUrl) => ({ webhookUrl }));
  // If the number is not given, a data file determines it.
  const merchants =
    count === undefined ? undefined : Array.from({ length: count }, (_, n) => own[n] ?? {});
  const sandbox = createSandbox({ ...options, ...(!isOneEach && own[0]), merchants });
  for (const asked of faults) {
    try {
      if ("rateLimit" in asked) sandbox.faults.rateLimit(asked.rateLimit);
      else sandbox.faults.next(asked.route, asked.fault, asked.options);
    } catch (error) {
      if (!SettlekitError.is(error)) throw error;
      throw new UsageError(`\`--fault\`: ${error.message}`);
    }
  }
  return sandbox;
}

/** Keeps the secrets the same across starts, so that an .env file stays valid. */
export const usualIdentity = "settlekit sandbox";

/**
 * The variables through which the client and the webhook verifier find a sandbox. Those of further merchants are
 * numbered, starting at 2.
 */
export function variablesOf(
  { merchants, headerPrefix }: Sandbox,
  url: string,
): Record<string, string> {
  const inherited = process.env.SETTLEKIT_HEADER_PREFIX || defaultHeaderPrefix;
  const isUsual = headerPrefix === defaultHeaderPrefix && inherited === defaultHeaderPrefix;
  return {
    SETTLEKIT_ENVIRONMENT: "sandbox",
    SETTLEKIT_SANDBOX_URL: url,
    ...Object.fromEntries(merchants.flatMap(secretsOf)),
    ...(!isUsual && { SETTLEKIT_HEADER_PREFIX: headerPrefix }),
  };
}

function secretsOf({ secretKey, webhookSecret }: SandboxMerchant, index: number) {
  const number = index === 0 ? "" : `_${index + 1}`;
  return [
    [`SETTLEKIT_SECRET_KEY${number}`, secretKey],
    [`SETTLEKIT_WEBHOOK_SECRET${number}`, webhookSecret],
  ];
}
