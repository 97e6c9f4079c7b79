import { defaultRequestIdHeader } from "../../wire/credential.ts";
import type { Events } from "../events.ts";
import type { Faults } from "../faults/faults.ts";
import type { RandomSource } from "../random.ts";
import type { Clock } from "../time/clock.ts";
import { withoutSecrets } from "../timeline/kept-text.ts";
import type { RequestEnd, RequestLog } from "../timeline/request-log.ts";
import type { App } from "./app.ts";
import { allowAnyOrigin, isCustomerScoped, preflightAnswer } from "./cross-origin.ts";
import { serveWith } from "./fault-play.ts";
import type { Received } from "./received.ts";
import type { Reply } from "./reply.ts";

/** Takes a request to its end, however that is reached. */
export type Exchange = (received: Received) => Promise<Reply>;

interface ExchangeOptions {
  readonly app: App;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly faults: Faults;
  readonly log: RequestLog;
  readonly events: Events;
}

/** What is the same for every route: the record, the faults, and the headers of an answer. */
export function createExchange(options: ExchangeOptions): Exchange {
  const { app, clock, random, faults, log, events } = options;
  return async (received) => {
    const { method, url, headers } = received;
    const { pathname } = url;
    const requestId = random.stream("requests").uuid();
    const record = recordOf(requestId, received);

    const crossesOrigins = isCustomerScoped(pathname);
    const isPreflight = crossesOrigins && method === "OPTIONS";
    const met = isPreflight ? undefined : faults.take({ method, pathname, headers });
    if (met) events.emit({ type: "fault.met", at: clock.now().toISOString(), requestId, ...met });
    const reply = await serveWith(met?.fault, () => {
      clock.catchUp();
      if (isPreflight) return preflightAnswer();
      // Operations take effect at once, so what changes meanwhile is their doing.
      return events.during({ requestId }, () => app.answer(received));
    });

    const { answer } = reply;
    if (answer === undefined) {
      record({ outcome: "unanswered", status: null });
      return reply;
    }
    answer.headers[defaultRequestIdHeader] = requestId;
    // Countdowns are corrected by this header, so it must tell the sandbox's time.
    answer.headers.Date = clock.now().toUTCString();
    if (crossesOrigins) allowAnyOrigin(answer.headers);
    record({
      outcome: reply.kind === "answered" ? "answered" : "cut off",
      status: answer.status,
      answer,
    });
    return reply;
  };

  /** Gives what tells the record of the request's end. When the client leaves, it finds out by itself. */
  function recordOf(requestId: string, { method, url, headers, bodyText = "", onGone }: Received) {
    const at = clock.now().toISOString();
    const path = withoutSecrets(url.pathname + url.search);
    const facts = { at, requestId, method, path, status: null, outcome: "open" } as const;
    const sequence = events.emit({ ...facts, type: "request" });
    log.add({ at, requestId, method, path, headers, bodyText });
    let end: RequestEnd = facts;

    function record(next: RequestEnd): void {
      end = next;
      log.ended(requestId, next);
      events.ended(sequence, { outcome: next.outcome, status: next.status });
    }

    onGone(() => {
      if (end.outcome === "open") record({ outcome: "unanswered", status: null });
      else if (end.outcome === "answered") record({ outcome: "cut off", status: end.status });
    });
    return (next: RequestEnd) => {
      // Who has left gets no answer any more.
      if (end.outcome === "open") record(next);
    };
  }
}
