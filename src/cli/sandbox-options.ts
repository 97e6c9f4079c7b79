import { choice, integer } from "@optique/core/valueparser";
import { type Duration, durationInMs } from "../duration.ts";
import { SettlekitError } from "../errors.ts";
import type {
  Fault,
  FaultRoute,
  Frequency,
  RateLimit,
  Sandbox,
  SandboxMerchant,
  SandboxOptions,
} from "../sandbox/index.ts";
import { show } from "../values.ts";
import { defaultHeaderPrefix } from "../wire/credential.ts";
import { readBy, setting, type ValuesOf } from "./command.ts";
import { UsageError } from "./exit-codes.ts";
import { headerPrefix, instant, webUrl } from "./options.ts";

/** One `--fault` option. */
type AskedFault =
  | { readonly route: FaultRoute; readonly fault: Fault; readonly options: Frequency }
  | { readonly rateLimit: RateLimit };

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
    choice(["documented", "published"]),
  ).optional(),
  faults: setting(
    "--fault FAULT",
    'A fault to inject, such as "POST /payments 503 after". May be repeated.',
    readBy<AskedFault>({ rateLimit: { requestsPerSecond: 0 } }, faultFrom),
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

export const faultExplanation = `A fault consists of these words:
  where      a method and the start of a path, such as POST /payments, or * for every request
  what       a different response such as 503, a delay such as 800ms or 2s, reset, or truncated
  when       before or after the request takes effect; a reset also mid-answer
  how often  x3, or always; once by default
  by chance  such as 20%, drawn by --seed; always unless x3 or the like is given
A response also takes retry-after=<seconds>. 10/s, alone or with retry-after, limits the rate.`;

/**
 * Reads `POST /payments 503 after x2` and the like. The sandbox checks whether the route exists.
 *
 * @throws {UsageError} naming the word that cannot be parsed.
 */
export function faultFrom(input: string): AskedFault {
  const words = input.trim().split(/\s+/);
  const isRateLimit = /^\d+\/s$/.test(words[0] ?? "");
  const routeLength = words[0] === "*" ? 1 : 2;
  const route = words.splice(0, isRateLimit ? 0 : routeLength).join(" ") as FaultRoute;
  const [what = "", ...details] = words;
  const takesRetryAfter = isRateLimit || /^\d{3}$/.test(what);
  let when: string | undefined;
  let retryAfter: number | undefined;
  const options: { times?: number; probability?: number } = {};
  for (const detail of details) {
    const [, seconds] = /^retry-after=(\d+)$/.exec(detail) ?? [];
    const [, count] = /^x([1-9]\d{0,14})$/.exec(detail) ?? [];
    const percent = Number(/^(\d+(?:\.\d+)?)%$/.exec(detail)?.[1]);
    if (seconds !== undefined && takesRetryAfter) retryAfter = Number(seconds);
    else if (isRateLimit) notUnderstood(detail, input);
    else if (/^(before|after|mid-answer)$/.test(detail)) when = detail;
    else if (detail === "always") options.times = Number.POSITIVE_INFINITY;
    else if (count !== undefined) options.times = Number(count);
    else if (percent > 0 && percent <= 100) options.probability = percent / 100;
    else notUnderstood(detail, input);
  }
  if (isRateLimit) {
    const requestsPerSecond = Number.parseInt(what, 10);
    return { rateLimit: { requestsPerSecond, retryAfterSeconds: retryAfter } };
  }
  // The sandbox checks whether the words fit together.
  const fault = faultOf(what, when, retryAfter) as Fault | undefined;
  if (fault === undefined) notUnderstood(what, input);
  return { route, fault, options };
}

function faultOf(what: string, when: string | undefined, retryAfter: number | undefined) {
  if (/^\d{3}$/.test(what)) return { status: Number(what), when: when ?? "before", retryAfter };
  if (/^\d+m?s$/.test(what)) {
    return { latencyMs: durationInMs(what as Duration), when: when ?? "after" };
  }
  if (what === "reset") return { connection: "reset", when: when ?? "before" };
  if (what === "truncated" && when === undefined) return { connection: "truncated" };
  return undefined;
}

function notUnderstood(detail: string, input: string): never {
  const what =
    detail === ""
      ? `${show(input)} does not say what goes wrong`
      : `${show(detail)} is not a valid word in ${show(input)}`;
  throw new UsageError(
    `${what}. Examples: "POST /payments 503 after x2", "GET /payments 800ms always", "POST /payments 503 after 20%", ` +
      '"POST /withdrawals reset after", "* truncated", "10/s retry-after=2".',
  );
}
