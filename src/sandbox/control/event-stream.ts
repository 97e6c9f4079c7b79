import type { Events } from "../events.ts";

/** Server-sent events from now on: `entry` with an event of the timeline as JSON, and `reset`. */
export function eventStream(events: Events): Response {
  const encoder = new TextEncoder();
  let unsubscribe = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      // Sent at once, so that the reader sees the connection open and knows when to reconnect.
      controller.enqueue(encoder.encode("retry: 1000\n\n"));
      unsubscribe = events.subscribe((event) => {
        // Disconnect slow readers; EventSource reconnects.
        if ((controller.desiredSize ?? 0) < -maxBacklog) {
          unsubscribe();
          controller.close();
          return;
        }
        const message =
          event.type === "reset"
            ? "event: reset\ndata: null\n\n"
            : `event: entry\ndata: ${JSON.stringify(event)}\n\n`;
        controller.enqueue(encoder.encode(message));
      });
    },
    cancel: () => unsubscribe(),
  });
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}

/** How many events are buffered for a slow reader. */
const maxBacklog = 1_000;
