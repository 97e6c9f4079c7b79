import { codeForStatus } from "../wire/envelope.ts";
import { jsonAnswer, refusalAnswer, textAnswer } from "./answer.ts";
import { evidenceHeader } from "./evidence.ts";
import type { AnswerFault, Fault } from "./fault.ts";
import type { RefusalFacts } from "./refusal.ts";
import type { Reply } from "./reply.ts";

/** Serves a request, with what goes wrong on the way. `serve` is what makes it take effect. */
export async function serveWith(
  fault: Fault | undefined,
  serve: () => Promise<Response>,
): Promise<Reply> {
  if (fault === undefined) return { kind: "answered", response: await serve() };

  if ("latencyMs" in fault) {
    if (fault.when === "before") await wait(fault.latencyMs);
    const response = await serve();
    if (fault.when === "after") await wait(fault.latencyMs);
    return { kind: "answered", response };
  }

  if ("status" in fault) {
    if (fault.when === "after") await serve();
    return { kind: "answered", response: answerOf(fault) };
  }

  if (fault.connection === "truncated") {
    return { kind: "broken off", response: await serve(), by: "end" };
  }
  if (fault.when === "before") return { kind: "unanswered" };
  const response = await serve();
  return fault.when === "after"
    ? { kind: "unanswered" }
    : { kind: "broken off", response, by: "reset" };
}

/** Statuses whose answers have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

function answerOf({ status, retryAfter, body }: AnswerFault): Response {
  const response = body === undefined ? usualAnswer(status) : answerWith(status, body);
  if (retryAfter !== undefined) response.headers.set("Retry-After", String(retryAfter));
  return response;
}

/** What the service itself would say. */
function usualAnswer(status: number): Response {
  if (bodiless.has(status)) return answerWith(status, "");
  const message =
    status === 429
      ? "Too many requests. Wait as long as Retry-After says, or longer with every refusal."
      : `The settlekit sandbox was told to answer this request with ${status}.`;
  return refusalAnswer({ status, type: typeFor(status), code: codeForStatus(status), message });
}

function answerWith(status: number, body: unknown): Response {
  const headers = { [evidenceHeader]: "assumed" };
  if (bodiless.has(status)) return new Response(null, { status, headers });
  if (typeof body !== "string") return jsonAnswer(status, body, headers);
  return textAnswer(body, { status, headers: { "Content-Type": "text/plain", ...headers } });
}

function typeFor(status: number): NonNullable<RefusalFacts["type"]> {
  if (status >= 500) return "api_error";
  return status === 401 ? "authentication_error" : "invalid_request_error";
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
