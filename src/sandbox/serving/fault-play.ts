import { codeForStatus } from "../../wire/envelope.ts";
import type { AnswerFault, Fault } from "../faults/fault.ts";
import { evidenceHeader } from "./evidence.ts";
import { hasBody, type PlainAnswer, plainJson, plainRefusal } from "./plain-answer.ts";
import type { RefusalFacts } from "./refusal.ts";
import type { Reply } from "./reply.ts";

/** Serves a request, with what goes wrong on the way. `serve` is what makes it take effect. */
export async function serveWith(
  fault: Fault | undefined,
  serve: () => PlainAnswer,
): Promise<Reply> {
  if (fault === undefined) return { kind: "answered", answer: serve() };

  if ("latencyMs" in fault) {
    if (fault.when === "before") await wait(fault.latencyMs);
    const answer = serve();
    if (fault.when === "after") await wait(fault.latencyMs);
    return { kind: "answered", answer };
  }

  if ("status" in fault) {
    if (fault.when === "after") serve();
    return { kind: "answered", answer: answerOf(fault) };
  }

  if (fault.connection === "truncated") {
    return { kind: "broken off", answer: serve(), by: "end" };
  }
  if (fault.when === "before") return { kind: "unanswered" };
  const answer = serve();
  return fault.when === "after"
    ? { kind: "unanswered" }
    : { kind: "broken off", answer, by: "reset" };
}

function answerOf({ status, retryAfter, body }: AnswerFault): PlainAnswer {
  const answer = body === undefined ? usualAnswer(status) : answerWith(status, body);
  if (retryAfter !== undefined) answer.headers["Retry-After"] = String(retryAfter);
  return answer;
}

/** What the service itself would say. */
function usualAnswer(status: number): PlainAnswer {
  if (!hasBody({ status })) return answerWith(status, "");
  const message =
    status === 429
      ? "Too many requests. Wait as long as Retry-After says, or longer with every refusal."
      : `The settlekit sandbox was told to answer this request with ${status}.`;
  return plainRefusal({ status, type: typeFor(status), code: codeForStatus(status), message });
}

function answerWith(status: number, body: unknown): PlainAnswer {
  const headers: Record<string, string> = { [evidenceHeader]: "assumed" };
  if (!hasBody({ status })) return { status, headers, body: { text: "" } };
  if (typeof body !== "string") return plainJson(status, body, headers);
  return { status, headers: { "Content-Type": "text/plain", ...headers }, body: { text: body } };
}

function typeFor(status: number): NonNullable<RefusalFacts["type"]> {
  if (status >= 500) return "api_error";
  return status === 401 ? "authentication_error" : "invalid_request_error";
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
