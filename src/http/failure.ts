import type { ErrorFacts } from "../wire/envelope.ts";

/** Why an attempt gave no usable answer. The kinds are the rows of the retry table. */
export type Failure =
  /** No connection was made: name lookup, refused, connect time-out. Nothing was sent. */
  | { readonly kind: "unreachable"; readonly code: string; readonly detail: string }
  /** The service's certificate or protocol was not accepted. Nothing was sent. */
  | { readonly kind: "tls"; readonly code: string; readonly detail: string }
  /** fetch did not take what `fetchOptions` holds. Nothing was sent. */
  | { readonly kind: "not_taken"; readonly code: string; readonly detail: string }
  /** The connection broke, or failed in a way that does not say when. */
  | { readonly kind: "connection"; readonly code: string; readonly detail: string }
  | {
      readonly kind: "timeout";
      readonly limit: "timeoutMs" | "deadlineMs";
      readonly ms: number;
      /** What the time went into when it was not a request: a fact and its cure. */
      readonly spentOn?: string;
    }
  | { readonly kind: "aborted"; readonly reason: unknown }
  | {
      readonly kind: "redirect";
      readonly status: number;
      readonly origin: string | undefined;
      readonly requestId: string | undefined;
    }
  /** A status of 400 or more. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly facts: ErrorFacts;
      readonly retryAfterMs: number | undefined;
      readonly requestId: string | undefined;
    }
  /** A success status whose body is not the JSON that is due. */
  | {
      readonly kind: "unreadable";
      readonly status: number;
      readonly text: string;
      readonly requestId: string | undefined;
    };
