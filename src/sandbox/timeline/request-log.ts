import type { RequestOutcome } from "../events.ts";
import type { PlainAnswer } from "../serving/plain-answer.ts";
import type { ReceivedHeaders } from "../serving/received.ts";
import type { Store } from "../state/store.ts";
import { type KeptText, keptHeaders, keptText, withoutSecrets } from "./kept-text.ts";

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

/** What became of a request, and the answer if there was one. */
export interface RequestEnd {
  readonly outcome: RequestOutcome;
  readonly status: number | null;
  readonly answer?: PlainAnswer;
}

/** A request as it is kept: with whatever secrets its body and its answer have, because few are ever looked at. */
interface KeptRequest extends Omit<ReceivedRequest, "answer"> {
  readonly answer: KeptAnswer | null;
}

interface KeptAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: KeptText | { readonly value: unknown };
}

const maxRequests = 1_000;

/** The latest 1,000 requests. */
export function createRequestLog(store: Store): RequestLog {
  const requests = store.table<KeptRequest>("requests", { limit: maxRequests });
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
    ended(requestId, { outcome, status, answer }) {
      const request = requests.get(requestId);
      if (request === undefined) return;
      const kept = answer ? keptAnswer(answer) : request.answer;
      requests.set(requestId, { ...request, outcome, status, answer: kept });
    },
    all: () => requests.values().map(printable),
    dropped: requests.dropped,
  };
}

/** A list may be long, and is kept as text of which the rest is left out; anything else costs nothing to keep. */
function keptAnswer({ headers, body }: PlainAnswer): KeptAnswer {
  const { value } = body;
  const isOne = typeof value === "object" && value !== null && !("data" in value);
  return { headers, body: isOne && !Array.isArray(value) ? { value } : keptText(body.text) };
}

function printable(request: KeptRequest): ReceivedRequest {
  const { body, answer } = request;
  return { ...request, body: withoutSecrets(body), answer: answer && printableAnswer(answer) };
}

/** The sandbox's own headers hold no secret. */
function printableAnswer({ headers, body }: KeptAnswer): ReceivedAnswer {
  const names = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const { text, omitted } = "value" in body ? keptText(JSON.stringify(body.value)) : body;
  return {
    headers: Object.fromEntries(names),
    body: withoutSecrets(text),
    bodyOmitted: omitted,
  };
}
