import type { Store } from "./store.ts";

/** A request that the sandbox received, and how it answered. */
export interface ReceivedRequest {
  /** The sandbox's time, ISO 8601, UTC. */
  readonly at: string;
  readonly method: string;
  /** With the query, as it was sent. */
  readonly path: string;
  /** Names in lower case. Credentials are replaced by `[redacted]`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text as it was sent; empty for a body that was too large to be read. */
  readonly body: string;
  /** HTTP status of the answer; null while there is none, and where the connection broke before one. */
  readonly status: number | null;
  /** The answer's `X-Request-Id`. */
  readonly requestId: string;
}

export interface RequestLog {
  add(request: ReceivedRequest): void;
  /** Adds the answer's status, unless the request is forgotten. */
  answered(requestId: string, status: number): void;
  /** Oldest first. */
  all(): ReceivedRequest[];
  /** How many older ones were dropped since the last reset. */
  dropped(): number;
}

const maxRequests = 1_000;
const maxCharacters = 16 * 1_048_576;

/** The latest requests: 1,000 of them, or fewer where their bodies pass 16 Mi characters. */
export function createRequestLog(store: Store): RequestLog {
  const requests = store.table<ReceivedRequest>("requests");
  let characters = 0;

  store.onReplaced(() => {
    characters = 0;
    for (const { body } of requests.values()) characters += body.length;
  });

  return {
    add(request) {
      while (requests.size() >= maxRequests || characters + request.body.length > maxCharacters) {
        const dropped = requests.dropOldest();
        if (dropped === undefined) break;
        characters -= dropped.body.length;
      }
      characters += request.body.length;
      requests.set(request.requestId, request);
    },
    answered(requestId, status) {
      const request = requests.get(requestId);
      if (request !== undefined) requests.set(requestId, { ...request, status });
    },
    all: requests.values,
    dropped: requests.dropped,
  };
}

/** Under any prefix: a client configured with another one still sends a secret. */
const secretHeader = /^authorization$|^cookie$|-secret-key$|-payment-secret$/;

/** Headers as a plain object that is safe to print, whatever their names are. */
export function printableHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    Array.from(headers, ([name, value]) => [name, secretHeader.test(name) ? "[redacted]" : value]),
  );
}
