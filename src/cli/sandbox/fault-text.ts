import type { Fault, FaultOptions, FaultRoute, RateLimit } from "../../sandbox/index.ts";
import { UsageError } from "../arguments/usage-error.ts";

/** What one `--fault` asks for. */
type FaultText =
  | { readonly route: FaultRoute; readonly fault: Fault; readonly options: FaultOptions }
  | { readonly rateLimit: RateLimit };

/** For the help, in complete lines. */
export const faultExplanation = [
  "A fault is a text of these words:",
  "  where      a method and the beginning of a path, such as POST /payments, or * for every request",
  "  what       another answer such as 503, a delay such as 800ms or 2s, reset, or truncated",
  "  when       before or after the request takes effect; a reset also mid-answer",
  "  how often  x3, or always; once unless given",
  "  by chance  such as 20%, which --seed decides; always unless x3 or the like is given",
  "An answer also takes retry-after=<seconds>. 10/s, alone or with retry-after, limits the rate.",
];

const faultExamples = [
  "POST /payments 503 after x2",
  "GET /payments 800ms always",
  "POST /payments 503 after 20%",
  "POST /withdrawals reset after",
  "* truncated",
  "10/s retry-after=2",
];

/**
 * Reads `POST /payments 503 after x2` and the like. Whether the route exists, the sandbox knows.
 *
 * @throws {UsageError} naming the word that is not understood.
 */
export function faultFrom(text: string): FaultText {
  const words = text.trim().split(/\s+/);
  const perSecond = /^(\d+)\/s$/.exec(words[0] ?? "")?.[1];
  if (perSecond !== undefined) return rateLimitFrom(Number(perSecond), words.slice(1), text);

  const [route, ...rest] =
    words[0] === "*" ? words : [words.slice(0, 2).join(" "), ...words.slice(2)];
  const [what = "", ...details] = rest;
  let when: string | undefined;
  let retryAfter: number | undefined;
  const options: { times?: number; probability?: number } = {};
  for (const word of details) {
    const [, count] = /^x(\d+)$/.exec(word) ?? [];
    const [, percent] = /^(\d+(?:\.\d+)?)%$/.exec(word) ?? [];
    const seconds = retryAfterFrom(word);
    if (word === "before" || word === "after" || word === "mid-answer") when = word;
    else if (word === "always") options.times = Number.POSITIVE_INFINITY;
    else if (count !== undefined) options.times = Number(count);
    else if (percent !== undefined) options.probability = Number(percent) / 100;
    else if (seconds !== undefined && /^\d{3}$/.test(what)) retryAfter = seconds;
    else throw notUnderstood(word, text);
  }
  // Whether the words go together, the sandbox checks too, and says it in its own words.
  const fault = faultOf(what, when, retryAfter) as Fault | undefined;
  if (fault === undefined) throw notUnderstood(what, text);
  return { route: route as FaultRoute, fault, options };
}

function faultOf(what: string, when: string | undefined, retryAfter: number | undefined) {
  const [, amount, unit] = /^(\d+)(ms|s)$/.exec(what) ?? [];
  if (amount !== undefined) {
    const latencyMs = Number(amount) * (unit === "s" ? 1000 : 1);
    return { latencyMs, when: when ?? "after" };
  }
  if (/^\d{3}$/.test(what)) return { status: Number(what), when: when ?? "before", retryAfter };
  if (what === "reset") return { connection: "reset", when: when ?? "before" };
  if (what === "truncated" && when === undefined) return { connection: "truncated" };
  return undefined;
}

function rateLimitFrom(
  requestsPerSecond: number,
  details: readonly string[],
  text: string,
): FaultText {
  let retryAfterSeconds: number | undefined;
  for (const word of details) {
    retryAfterSeconds = retryAfterFrom(word);
    if (retryAfterSeconds === undefined) throw notUnderstood(word, text);
  }
  return { rateLimit: { requestsPerSecond, retryAfterSeconds } };
}

function retryAfterFrom(word: string): number | undefined {
  const [, seconds] = /^retry-after=(\d+)$/.exec(word) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

function notUnderstood(word: string, text: string): UsageError {
  return new UsageError(
    `--fault does not understand ${word === "" ? "what goes wrong" : JSON.stringify(word)} in ` +
      `${JSON.stringify(text)}. Write such as ` +
      `${faultExamples.map((example) => JSON.stringify(example)).join(", ")}.`,
  );
}
