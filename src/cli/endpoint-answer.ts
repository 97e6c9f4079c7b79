import type { WebhookAttempt } from "../sandbox/index.ts";
import { type PostAnswer, post } from "../sandbox/webhooks/endpoint.ts";
import { exitCodes } from "./exit-codes.ts";
import { paint } from "./terminal.ts";

/** How an endpoint responded to a webhook, or why it did not. */
export type EndpointAnswer = PostAnswer | { readonly error: string };

/** Sends a webhook as the sandbox does: to exactly this URL. */
export function send(webhook: Parameters<typeof post>[0]): Promise<EndpointAnswer> {
  return post(webhook).catch(({ message }: Error) => ({ error: message }));
}

/** The response to an attempt of a running sandbox. */
export function answerTo({ status, answer, error, durationMs }: WebhookAttempt): EndpointAnswer {
  if (status === null || answer === null) return { error: String(error) };
  return { status, ...answer, durationMs };
}

/** Whether the endpoint accepted the webhook, as an exit code. */
export function exitCodeFor(answer: EndpointAnswer): number {
  if ("error" in answer) return exitCodes.network;
  if (answer.status >= 200 && answer.status < 300) return exitCodes.ok;
  return [401, 403].includes(answer.status) ? exitCodes.authentication : exitCodes.api;
}

/** A response for people: a line, and the usual cure. */
export function responseLines(response: PostAnswer): string[] {
  const { status, durationMs } = response;
  const style = exitCodeFor(response) === exitCodes.ok ? "green" : "red";
  const line = `${paint(style, String(status))} in ${Math.round(durationMs)} ms`;
  if (status === 401) {
    return [line, "The endpoint did not accept the signature: compare the secrets on both sides."];
  }
  if (status < 300 || status >= 400) return [line];
  return [line, "Redirects are not followed: use the final URL."];
}
