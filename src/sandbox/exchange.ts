import { defaultRequestIdHeader } from "../wire/headers.ts";
import { bodyTextOf } from "./answer.ts";
import type { App } from "./app.ts";
import type { Clock } from "./clock.ts";
import { allowAnyOrigin, isCustomerScoped, preflightAnswer } from "./cross-origin.ts";
import { serveWith } from "./fault-play.ts";
import type { Faults } from "./faults.ts";
import { withoutSecrets } from "./kept-text.ts";
import type { RandomSource } from "./random.ts";
import type { Reply } from "./reply.ts";
import { readBodyText } from "./request-body.ts";
import { keptAnswer, type RequestEnd, type RequestLog } from "./request-log.ts";
import type { Timeline } from "./timeline.ts";

/**
 * Takes a request to its end, however that is reached.
 *
 * @param gone Aborts when the client leaves before it has the whole answer.
 */
export type Exchange = (request: Request, gone?: AbortSignal) => Promise<Reply>;

export interface ExchangeOptions {
  readonly app: App;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly faults: Faults;
  readonly log: RequestLog;
  readonly timeline: Timeline;
}

/** What is the same for every route: the record, the faults, and the headers of an answer. */
export function createExchange(options: ExchangeOptions): Exchange {
  const { app, clock, random, faults, log, timeline } = options;
  return async (request, gone) => {
    const bodyText = await readBodyText(request);
    const { method } = request;
    const { pathname, search } = new URL(request.url);
    const requestId = random.stream("requests").uuid();
    const record = recordOf({
      requestId,
      method,
      path: pathname + search,
      request,
      bodyText,
      gone,
    });

    const crossesOrigins = isCustomerScoped(pathname);
    const isPreflight = crossesOrigins && method === "OPTIONS";
    const reply = await serveWith(
      isPreflight ? undefined : faults.take({ method, pathname, headers: request.headers }),
      async () => {
        clock.catchUp();
        if (isPreflight) return preflightAnswer();
        // Operations take effect before the first wait, so what changes meanwhile is their doing.
        return timeline.during({ requestId }, () => app.fetch(request, { bodyText }));
      },
    );

    const { response } = reply;
    if (response === undefined) {
      record({ outcome: "unanswered", status: null });
      return reply;
    }
    response.headers.set(defaultRequestIdHeader, requestId);
    // Countdowns are corrected by this header, so it must tell the sandbox's time.
    response.headers.set("Date", clock.now().toUTCString());
    if (crossesOrigins) allowAnyOrigin(response.headers);
    record({
      outcome: reply.kind === "answered" ? "answered" : "cut off",
      status: response.status,
      answer: keptAnswer(response, bodyTextOf(response)),
    });
    return reply;
  };

  interface Recorded {
    readonly requestId: string;
    readonly method: string;
    readonly path: string;
    readonly request: Request;
    readonly bodyText: string | undefined;
    readonly gone: AbortSignal | undefined;
  }

  /** Gives what tells the record of the request's end. When the client leaves, it finds out by itself. */
  function recordOf({ requestId, method, path, request, bodyText, gone }: Recorded) {
    const at = clock.now().toISOString();
    const kept = withoutSecrets(path);
    const facts = { at, requestId, method, path: kept, status: null, outcome: "open" } as const;
    const sequence = timeline.add({ ...facts, type: "request" });
    log.add({ at, requestId, method, path, headers: request.headers, bodyText: bodyText ?? "" });
    let end: RequestEnd = facts;

    function record(next: RequestEnd): void {
      end = next;
      log.ended(requestId, next);
      timeline.ended(sequence, { outcome: next.outcome, status: next.status });
    }

    gone?.addEventListener("abort", () => {
      if (end.outcome === "open") record({ outcome: "unanswered", status: null });
      else if (end.outcome === "answered") record({ outcome: "cut off", status: end.status });
    });
    return (next: RequestEnd) => {
      // Who has left gets no answer any more.
      if (end.outcome === "open") record(next);
    };
  }
}
