import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";

/** A connection ended before the answer was complete: by a fault, or because the client left. */
export interface BrokenConnection {
  readonly type: "broken";
  /** The sandbox's time, ISO 8601, UTC. */
  readonly at: string;
  readonly method: string;
  /** With the query, as it was sent. */
  readonly path: string;
  /** Null when no answer had begun. */
  readonly status: number | null;
}

/** Tells of the connections to this process's servers that break, which only sockets know. */
export function watchConnections(emit: (event: BrokenConnection) => void, now: () => Date): void {
  subscribe("http.server.request.start", (message) => {
    const { request, response } = message as {
      request: IncomingMessage;
      response: ServerResponse;
    };
    const { method = "", url: path = "" } = request;
    // Its own pages leave their streams of events whenever they are closed.
    if (path.startsWith("/_sandbox")) return;
    response.once("close", () => {
      if (response.writableFinished) return;
      const status = response.headersSent ? response.statusCode : null;
      emit({ type: "broken", at: now().toISOString(), method, path, status });
    });
  });
}
