import { envelopeOf, Refusal } from "./refusal.ts";

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
  if (error instanceof Refusal) {
    return jsonAnswer(error.facts.status, envelopeOf(error.facts), error.facts.headers);
  }
  const message = `The settlekit sandbox failed, which is a mistake in settlekit: ${error.message}`;
  return jsonAnswer(
    500,
    envelopeOf({ status: 500, type: "api_error", code: "server_error", message }),
  );
}
