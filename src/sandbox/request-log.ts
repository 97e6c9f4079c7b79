import { keptHeaders, keptText, withoutSecrets } from "./kept-text.ts";
import type { PlainAnswer } from "./plain-answer.ts";
import type { ReceivedHeaders } from "./received.ts";
import type { Store } from "./store.ts";

/**
 * What became of a request: nothing yet, an answer, the end of its connection before one, or within it. A
 * connection ends by a fault, or because the client leaves.
 */
export type RequestOutcome = "open" | "answered" | "unanswered" | "cut off";

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
  /** HTTP status of the answer; null while there is none, and where the connection broke before one. */
  readonly status: number | null;
  /** The answer as the service gave it, whatever arrived of it; null where there is none. */
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
interface Arrived {
  readonly at: string;
  readonly requestId: string;
  readonly method: string;
  /** Without secrets. */
  readonly path: string;
  readonly headers: ReceivedHeaders;
  readonly bodyText: string;
}

export interface RequestLog {
  add(request: Arrived): void;
  /** Adds what became of a request, unless that is forgotten. */
  ended(requestId: string, end: RequestEnd): void;
  /** Oldest first. */
  all(): ReceivedRequest[];
  /** How many older ones were dropped since the last reset. */
  dropped(): number;
}

export interface RequestEnd {
  readonly outcome: RequestOutcome;
  readonly status: number | null;
  readonly answer?: ReceivedAnswer;
}

const maxRequests = 1_000;

/** The latest 1,000 requests. */
export function createRequestLog(store: Store): RequestLog {
  /** With whatever secrets their bodies have: few are ever looked at. */
  const requests = store.table<ReceivedRequest>("requests", { limit: maxRequests });
  store.onReplaced(() => {
    for (const request of requests.values()) {
      if (request.outcome !== "open") continue;
      // Whoever waited for an answer was another process, or another past.
      requests.set(request.requestId, { ...request, outcome: "unanswered" });
    }
  });

  return {
    add({ at, requestId, method, path, headers, bodyText }) {
      const body = keptText(bodyText);
      requests.set(requestId, {
        at,
        method,
        path,
        headers: keptHeaders(headers),
        body: body.text,
        bodyOmitted: body.omitted,
        outcome: "open",
        status: null,
        answer: null,
        requestId,
      });
    },
    ended(requestId, end) {
      const request = requests.get(requestId);
      if (request !== undefined) requests.set(requestId, { ...request, ...end });
    },
    all: () => requests.values().map(printable),
    dropped: requests.dropped,
  };
}

function printable(request: ReceivedRequest): ReceivedRequest {
  const { body, answer } = request;
  return { ...request, body: withoutSecrets(body), answer: answer && printableAnswer(answer) };
}

/** The sandbox's own headers hold no secret. */
function printableAnswer({ headers, body, bodyOmitted }: ReceivedAnswer): ReceivedAnswer {
  const names = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { headers: Object.fromEntries(names), body: withoutSecrets(body), bodyOmitted };
}

export function keptAnswer({ headers, text }: PlainAnswer): ReceivedAnswer {
  const body = keptText(text);
  return { headers, body: body.text, bodyOmitted: body.omitted };
}
