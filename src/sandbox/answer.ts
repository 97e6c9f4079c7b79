import { envelopeOf, Refusal } from "./refusal.ts";

/** A value as JSON. */
export function jsonAnswer(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(value), {
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
