import type { IncomingMessage, RequestListener } from "node:http";
import { type PostAnswer, post } from "../../sandbox/webhooks/webhook-post.ts";
import type { Webhook, WebhookFailureReason, Webhooks } from "../../webhooks/index.ts";
import { forwardableHeaders } from "./forwardable-headers.ts";
import { readBody } from "./read-body.ts";

/** What became of one request to `settlekit listen`. */
export type Reception = { readonly answered: number } & (
  | { readonly ok: true; readonly webhook: Webhook; readonly forwarded: Forwarded | null }
  | {
      readonly ok: false;
      readonly reason: WebhookFailureReason | "method_not_allowed";
      readonly message: string;
    }
);

type Forwarded = PostAnswer | { readonly error: string };

interface ReceiverOptions {
  readonly webhooks: Webhooks;
  readonly forwardTo: URL | undefined;
  readonly onReception: (reception: Reception) => void;
}

const maxBodyBytes = 1_048_576;

/**
 * Receives webhooks at any path. Those that are not authentic go no further. The sender is answered
 * with what the endpoint behind said, so that it sends again what was not accepted.
 */
export function createReceiver({
  webhooks,
  forwardTo,
  onReception,
}: ReceiverOptions): RequestListener {
  return async (request, response) => {
    // A sender that breaks off gets no answer, and there is nothing to tell.
    const reception = await receive(request).catch(() => undefined);
    if (reception === undefined) return void response.destroy();
    const { answered } = reception;
    response.writeHead(answered, answered === 405 ? { Allow: "POST" } : {}).end();
    // A sender reads no answer before its body is gone, so what is left of it is taken and dropped.
    request.resume();
    onReception(reception);
  };

  async function receive(request: IncomingMessage): Promise<Reception> {
    if (request.method !== "POST") {
      const message = `Webhooks come by POST, this was ${request.method}.`;
      return { ok: false, answered: 405, reason: "method_not_allowed", message };
    }
    const body = await readBody(request, maxBodyBytes);
    if (body === undefined) {
      const message = `The body is larger than ${maxBodyBytes} bytes.`;
      return { ok: false, answered: 413, reason: "body_too_large", message };
    }
    const result = await webhooks.safeVerify({ body, headers: request.headers });
    if (!result.ok) {
      const isContent = result.reason === "invalid_json" || result.reason === "invalid_event";
      return { ...result, answered: isContent ? 400 : 401 };
    }
    const { webhook } = result;
    if (forwardTo === undefined) return { ok: true, answered: 200, webhook, forwarded: null };
    const headers = forwardableHeaders(request.rawHeaders);
    return await post({ url: forwardTo, headers, body }).then(
      (answer): Reception => ({ ok: true, answered: answer.status, webhook, forwarded: answer }),
      (error: Error): Reception => ({
        ok: true,
        answered: 502,
        webhook,
        forwarded: { error: error.message },
      }),
    );
  }
}
