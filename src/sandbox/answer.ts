import { errorEvidence, evidenceHeader } from "./evidence.ts";
import { envelopeOf, Refusal, type RefusalFacts } from "./refusal.ts";

/** What was written into answers, so that nobody has to read their bodies to know it. */
const bodyTexts = new WeakMap<Response, string>();

/** An answer whose body is this text. */
export function textAnswer(text: string, init: ResponseInit): Response {
  const response = new Response(text, init);
  bodyTexts.set(response, text);
  return response;
}

/** The text of an answer's body; empty for one without. */
export function bodyTextOf(response: Response): string {
  return bodyTexts.get(response) ?? "";
}

/** A value as JSON. */
export function jsonAnswer(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return textAnswer(JSON.stringify(value), {
    status,
    headers: { "Content-Type": "application/json", ...headers },
  });
}

/** What is answered when something was thrown: the documented envelope. */
export function errorAnswer(error: Error): Response {
  if (error instanceof Refusal) return refusalAnswer(error.facts);
  const message = `The settlekit sandbox failed, which is a mistake in settlekit: ${error.message}`;
  return refusalAnswer({ status: 500, type: "api_error", code: "server_error", message });
}

/** These facts in the documented envelope. */
export function refusalAnswer(facts: RefusalFacts): Response {
  const { status, code, headers } = facts;
  return jsonAnswer(status, envelopeOf(facts), {
    [evidenceHeader]: errorEvidence(status, code),
    ...headers,
  });
}
