import { hasBody, type PlainAnswer, plainError, plainJson } from "./plain-answer.ts";

/** An answer as fetch gives it. */
export function responseOf(answer: PlainAnswer, method = "GET"): Response {
  const { status, headers, body } = answer;
  const isEmpty = method === "HEAD" || !hasBody(answer);
  return new Response(isEmpty ? null : body.text, { status, headers });
}

/** A value as JSON. */
export function jsonAnswer(status: number, value: unknown): Response {
  return responseOf(plainJson(status, value));
}

/** What is answered when something was thrown: the documented envelope. */
export function errorAnswer(error: Error): Response {
  return responseOf(plainError(error));
}
