import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Deliver, WebhookAttempted } from "../../sandbox/index.ts";

/** A request that the sandbox answered, or whose connection broke. */
interface RequestEvent {
  readonly type: "request";
  /** The sandbox's time, ISO 8601, UTC. */
  readonly at: string;
  readonly method: string;
  /** With the query, as it was sent. */
  readonly path: string;
  /** Null when the connection ended before an answer. */
  readonly status: number | null;
  /** Whether the whole answer was sent. */
  readonly complete: boolean;
  readonly durationMs: number;
}

/** What `settlekit sandbox --json` prints after its first line. */
export type SandboxEvent = RequestEvent | WebhookAttempted;

type Emit = (event: SandboxEvent) => void;

/** Tells of every request that a server of this process takes, from now on. */
export function watchRequests(emit: Emit, now: () => Date): void {
  function onStart(message: unknown): void {
    const { request, response } = message as {
      request: IncomingMessage;
      response: ServerResponse;
    };
    const { method = "", url: path = "" } = request;
    // The sandbox's own pages ask all the time, and change nothing by it.
    if (method === "GET" && path.startsWith("/_sandbox")) return;
    const at = now().toISOString();
    const startedMs = performance.now();
    response.once("close", () => {
      emit({
        type: "request",
        at,
        method,
        path,
        status: response.headersSent ? response.statusCode : null,
        complete: response.writableFinished,
        durationMs: Math.round(performance.now() - startedMs),
      });
    });
  }
  subscribe("http.server.request.start", onStart);
}

/** Sends webhooks as the sandbox would, and tells of each attempt. Follows no redirect. */
export function deliverWatched(emit: Emit, now: () => Date): Deliver {
  /** Of deliveries that were not accepted yet. */
  const attempts = new Map<string, number>();

  return async (request) => {
    const deliveryId = request.headers.get("x-service-delivery-id") ?? "";
    const { event } = (await request.clone().json()) as { event: string };
    const attempt = (attempts.get(deliveryId) ?? 0) + 1;
    const at = now().toISOString();
    const tell = (status: number | null, error: string | null) =>
      emit({ type: "webhook.attempted", at, deliveryId, event, attempt, status, error });
    attempts.set(deliveryId, attempt);
    try {
      const response = await fetch(request, { redirect: "manual" });
      await response.body?.cancel();
      if (response.ok) attempts.delete(deliveryId);
      tell(response.status, null);
      return response;
    } catch (error) {
      tell(null, reasonOf(error));
      throw error;
    }
  };
}

/** Fetch hides the reason in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
