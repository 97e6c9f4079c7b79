import type { RequestOutcome } from "./events.ts";
import type { Store } from "./state/store.ts";

/** Longer than any request that the service takes, with metadata and all. */
const maxCharacters = 8_192;

export function keptBody(text: string): Pick<ReceivedRequest, "body" | "bodyOmitted"> {
  const body = text.slice(0, maxCharacters);
  return { body, bodyOmitted: text.length - body.length };
}

/** Secret keys, payment secrets, webhook secrets and access tokens; also one cut off at the end of the text. */
const secrets =
  /\b(?:sk_[\w-]{8,}|ps_[0-9a-f]{16,}|whsec_[\w-]{8,}|at_test_[\w-]{8,}|(?:sk|ps|whsec|at_test)_[\w-]*$)/g;

/** A payment URL may carry the payment secret in its query, whatever it looks like. */
const secretParameter = /([?&](?:payment[-_]?)?secret=)[^&#\s"'<>\\]+/gi;

export function withoutSecrets(text: string): string {
  // Most texts have neither and need no closer look.
  const redacted = text.includes("_") ? text.replace(secrets, "[redacted]") : text;
  return redacted.includes("=") ? redacted.replace(secretParameter, "$1[redacted]") : redacted;
}

/** Under any prefix: a client configured with another one still sends a secret. */
const secretHeaders = /^(?:authorization|cookie|set-cookie|.*-secret-key|.*-payment-secret)$/;

/** Headers as a plain object that is safe to print, whatever their names are. */
export function keptHeaders(headers: Iterable<readonly [string, string]>): Record<string, string> {
  const kept = Array.from(headers, ([anyCase, value]) => {
    const name = anyCase.toLowerCase();
    return [name, secretHeaders.test(name) ? "[redacted]" : withoutSecrets(value)] as const;
  });
  return Object.fromEntries(kept);
}

/** A request that the sandbox received, and how it answered. Credentials in it read `[redacted]`. */
export interface ReceivedRequest {
  /** The sandbox's time, ISO 8601, UTC. */
  readonly at: string;
  readonly method: string;
  /** With the query, as it was sent. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text as it was sent, at most 8,192 characters; empty for a body that was too large to be read. */
  readonly body: string;
  /** How many characters of the body were left out. */
  readonly bodyOmitted: number;
  readonly outcome: RequestOutcome;
  /** HTTP status of the answer; null while there is none, and if the connection broke before it. */
  readonly status: number | null;
  /** The whole answer, even if only a part of it arrived; null if there is none. */
  readonly answer: ReceivedAnswer | null;
  /** The answer's `X-Request-Id`. */
  readonly requestId: string;
}

/** An answer as it is kept. */
export interface ReceivedAnswer {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** At most 8,192 characters. */
  readonly body: string;
  /** How many characters of the body were left out. */
  readonly bodyOmitted: number;
}

/** A request as it arrives. */
interface Arrived extends Omit<ReceivedRequest, "headers" | "body" | "bodyOmitted" | "answer"> {
  readonly headers: Headers;
  readonly bodyText: string;
}

export type RequestLog = ReturnType<typeof createRequestLog>;

/** How a request ended, with the answer if there was one. */
export interface RequestEnd extends Pick<ReceivedRequest, "outcome" | "status"> {
  readonly answer?: ReceivedAnswer;
}

/**
 * The latest 1,000 requests. Secrets in their bodies and answers are removed when the log is read, because most entries
 * never are.
 */
export function createRequestLog(store: Store) {
  const requests = store.table<ReceivedRequest>("requests", { limit: 1_000 });
  store.onReplaced(() => {
    for (const request of requests.values()) {
      if (request.outcome !== "open") continue;
      // Its client waited for another process, or before a restore.
      requests.set(request.requestId, { ...request, outcome: "unanswered" });
    }
  });

  return {
    add({ headers, bodyText, ...facts }: Arrived): void {
      const kept = { headers: keptHeaders(headers), ...keptBody(bodyText) };
      requests.set(facts.requestId, { ...facts, ...kept, answer: null });
    },
    /** Adds how a request ended, unless it was dropped. */
    ended(requestId: string, end: RequestEnd): void {
      const request = requests.get(requestId);
      if (request) requests.set(requestId, { ...request, ...end });
    },
    /** Oldest first. */
    all: (): ReceivedRequest[] =>
      requests.values().map((request) => {
        const { body, answer } = request;
        const printable = answer && { ...answer, body: withoutSecrets(answer.body) };
        return { ...request, body: withoutSecrets(body), answer: printable };
      }),
    dropped: requests.dropped,
  };
}
