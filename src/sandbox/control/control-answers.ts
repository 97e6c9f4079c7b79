import { jsonAnswer } from "../serving/web-response.ts";

export function listAnswer(data: readonly unknown[]): Response {
  return jsonAnswer(200, { data });
}

/** It is done, and there is nothing to tell. */
export function doneAnswer(): Response {
  return new Response(null, { status: 204 });
}
