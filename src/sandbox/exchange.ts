import { defaultRequestIdHeader } from "../wire/headers.ts";
import type { App } from "./app.ts";
import type { Clock } from "./clock.ts";
import { allowAnyOrigin, isCustomerScoped, preflightAnswer } from "./cross-origin.ts";
import { serveWith } from "./fault-play.ts";
import type { Faults } from "./faults.ts";
import type { RandomSource } from "./random.ts";
import type { Reply } from "./reply.ts";
import { readBodyText } from "./request-body.ts";
import { printableHeaders, type RequestLog } from "./request-log.ts";
import type { Timeline } from "./timeline.ts";

/** Takes a request to its end, however that is reached. */
export type Exchange = (request: Request) => Promise<Reply>;

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
  return async (request) => {
    const bodyText = await readBodyText(request);
    const { method } = request;
    const { pathname, search } = new URL(request.url);
    const requestId = random.stream("requests").uuid();
    const at = clock.now().toISOString();
    const path = pathname + search;
    const sequence = timeline.add({ type: "request", at, requestId, method, path, status: null });
    log.add({
      at,
      method,
      path,
      headers: printableHeaders(request.headers),
      body: bodyText ?? "",
      status: null,
      requestId,
    });

    const crossesOrigins = isCustomerScoped(pathname);
    const isPreflight = crossesOrigins && method === "OPTIONS";
    const reply = await serveWith(
      isPreflight ? undefined : faults.take(method, pathname),
      async () => {
        clock.catchUp();
        if (isPreflight) return preflightAnswer();
        // Operations take effect before the first wait, so what changes meanwhile is their doing.
        return timeline.during(requestId, () => app.fetch(request, { bodyText }));
      },
    );

    const { response } = reply;
    if (response === undefined) return reply;
    log.answered(requestId, response.status);
    timeline.answered(sequence, response.status);
    response.headers.set(defaultRequestIdHeader, requestId);
    // Countdowns are corrected by this header, so it must tell the sandbox's time.
    response.headers.set("Date", clock.now().toUTCString());
    if (crossesOrigins) allowAnyOrigin(response.headers);
    return reply;
  };
}
