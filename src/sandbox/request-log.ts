import type { StatePart } from "./state.ts";

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

export interface RequestLog extends StatePart {
  /** Gives what adds the answer's status later. */
  add(request: ReceivedRequest): (status: number) => void;
  all(): ReceivedRequest[];
}

const maxRequests = 1_000;
const maxCharacters = 16 * 1_048_576;

/** The latest requests: 1,000 of them, or fewer where their bodies pass 16 Mi characters. */
export function createRequestLog(): RequestLog {
  let requests: { request: ReceivedRequest }[] = [];
  let characters = 0;

  return {
    add(request) {
      const entry = { request };
      requests.push(entry);
      characters += request.body.length;
      while (requests.length > maxRequests || characters > maxCharacters) {
        characters -= requests.shift()?.request.body.length ?? 0;
      }
      return (status) => {
        entry.request = { ...request, status };
      };
    },
    all: () => requests.map(({ request }) => request),
    clear() {
      requests = [];
      characters = 0;
    },
    capture() {
      const captured = requests.map((entry) => ({ ...entry }));
      const capturedCharacters = characters;
      return () => {
        requests = captured.map((entry) => ({ ...entry }));
        characters = capturedCharacters;
      };
    },
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
