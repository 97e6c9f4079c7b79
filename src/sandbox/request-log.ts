import { defaultRequestIdHeader } from "../wire/credential.ts";
import { isUnanswered } from "./connection.ts";
import type { Core } from "./core.ts";
import { endOpenRequests } from "./event-bus.ts";
import type { RequestEntry, RequestOutcome } from "./events.ts";
import type { Middleware } from "./service/answers.ts";

/** Longer than any accepted request. Copied by way of JSON: a slice, and on Deno a clone, holds on to the whole text. */
const maxCharacters = 8_192;

function keptBody(text: string): Pick<ReceivedRequest, "body" | "bodyOmitted"> {
  const start: string = JSON.parse(JSON.stringify(text.slice(0, maxCharacters)));
  return { body: withoutSecrets(start), bodyOmitted: text.length - start.length };
}

/** Secrets, even if cut off at the text's end. They may follow %3d or \n, but no small letter: task_created is none. */
const secrets =
  /(?:(?<![a-z])|(?<=(?:%|\\u00)[0-7][a-f]|\\[bfnrt]))(?:sk_[\w-]{8,}|ps_[0-9a-f]{16,}|whsec_[\w-]{8,}|at_test_[\w-]{8,}|(?:sk|ps|whsec|at_test)_[\w-]{0,15}$)/g;

/** The payment secret in the query of a payment URL, under any spelling of the parameter. */
const secretParameter = /([?&](?:payment[-_]?)?secret=)[^&#\s"'<>\\]+/gi;

export function withoutSecrets(text: string): string {
  return text.replace(secrets, "[redacted]").replace(secretParameter, "$1[redacted]");
}

/** Matches any prefix, because a client that is configured with a different one still sends a secret. */
const secretHeaders =
  /^(?:(?:proxy-)?authorization|cookie|set-cookie|.*-secret-key|.*-payment-secret)$/;

/** Headers as a plain object that is safe to print, whatever their names. */
export function keptHeaders(headers: Iterable<readonly [string, string]>): Record<string, string> {
  const kept = Array.from(headers, ([anyCase, value]) => {
    const name = anyCase.toLowerCase();
    return [name, secretHeaders.test(name) ? "[redacted]" : withoutSecrets(value)] as const;
  });
  return Object.fromEntries(kept);
}

/** The fields that a request shares with its timeline event. */
type RequestFacts = Omit<RequestEntry, "type" | "sequence">;

/** A request that the sandbox received, and its response. Credentials appear as `[redacted]`. */
export interface ReceivedRequest extends RequestFacts, ReceivedAnswer {
  /** The whole response, even if only part of it arrived; null if there is none. */
  readonly answer: ReceivedAnswer | null;
}

/** A request or a response as it is stored. */
export interface ReceivedAnswer {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text as sent, at most 8,192 characters; empty for a body that was too large to read. */
  readonly body: string;
  /** How many characters of the body were left out. */
  readonly bodyOmitted: number;
}

/** Records requests in the log, which keeps the latest 1,000, and in the timeline. */
export function createRequestLog({ clock, events, random, store }: Core) {
  const requests = store.table<ReceivedRequest>("requests", { limit: 1_000 });
  store.onReplaced(() => endOpenRequests(requests));

  /** Records a request, and puts its id in the response. */
  const record: Middleware = async (c, next) => {
    const { req, env } = c;
    const { pathname, search } = new URL(req.url);
    const requestId = random.stream("requests").uuid();
    let facts: RequestFacts = {
      at: clock.now().toISOString(),
      requestId,
      method: req.method,
      path: withoutSecrets(pathname + search),
      outcome: "open",
      status: null,
    };
    let answer: ReceivedAnswer | null = null;
    const sequence = events.emit({ ...facts, type: "request" });
    const received = { headers: keptHeaders(req.raw.headers), ...keptBody(c.var.body ?? "") };
    requests.set(requestId, { ...facts, ...received, answer });

    /** Stores the outcome in the request and its event, unless they were dropped. */
    function end(outcome: RequestOutcome, status = facts.status): void {
      facts = { ...facts, outcome, status };
      // After a reset of a sandbox with a seed, a later request may have the same id.
      const isCurrent = events.ended({ ...facts, type: "request", sequence });
      if (isCurrent && requests.get(requestId))
        requests.set(requestId, { ...facts, ...received, answer });
    }

    env.signal.addEventListener("abort", () => {
      if (facts.outcome === "open") end("unanswered");
      else if (facts.outcome === "answered") end("cut off");
    });
    c.set("requestId", requestId);
    c.set("answer", "");
    c.header(defaultRequestIdHeader, requestId);
    await next();
    // Clients correct their countdowns by this header, so it must be the sandbox's time.
    c.res.headers.set("Date", clock.now().toUTCString());
    // The client already disconnected.
    if (facts.outcome !== "open") return;
    if (env.broken && isUnanswered(env)) return end("unanswered");
    // The sandbox's own headers contain no secret.
    answer = { headers: Object.fromEntries(c.res.headers), ...keptBody(c.var.answer) };
    end(env.broken ? "cut off" : "answered", c.res.status);
  };

  return {
    record,
    /** Oldest first. */
    all: requests.values,
  };
}
