import { type Duration, durationInMs } from "../duration.ts";
import type { Fault, FaultRoute, Frequency, RateLimit } from "../sandbox/index.ts";
import { show } from "../values.ts";
import { UsageError } from "./exit-codes.ts";

/** One `--fault` option. */
type AskedFault =
  | { readonly route: FaultRoute; readonly fault: Fault; readonly options: Frequency }
  | { readonly rateLimit: RateLimit };

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
