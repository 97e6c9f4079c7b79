import type { Timeline } from "../timeline/timeline.ts";

/**
 * The timeline as server-sent events, from now on: `entry` with an entry as JSON, `reset` when the past is
 * another one.
 */
export function eventStream(timeline: Timeline): Response {
  const encoder = new TextEncoder();
  let unsubscribe = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      // At once, so that the reader learns that it is connected; and how soon to come back when it no longer is.
      controller.enqueue(encoder.encode("retry: 1000\n\n"));
      unsubscribe = timeline.subscribe((entry) => {
        // Who does not read must not fill the memory: the reader connects again, and reads anew.
        if ((controller.desiredSize ?? 0) < -maxBacklog) {
          unsubscribe();
          controller.close();
          return;
        }
        const event = entry === null ? "reset" : "entry";
        controller.enqueue(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(entry)}\n\n`));
      });
    },
    cancel: () => unsubscribe(),
  });
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}

/** Events that may wait for a reader. */
const maxBacklog = 1_000;
