import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import type { LambdaEvent, LambdaHandler } from "../../../src/webhooks/index.ts";
import { listening } from "../sites.ts";
import type { Framework } from "./framework.ts";

type Form = (request: IncomingMessage, body: Buffer) => LambdaEvent;

const joined = ({ headers }: IncomingMessage) => headers as Record<string, string>;

const restApi: Form = (request, body) => ({
  httpMethod: request.method ?? "",
  // `headers` holds only the last of several values.
  headers: Object.fromEntries(
    Object.entries(request.headersDistinct).map(([name, values]) => [name, values?.at(-1)]),
  ),
  multiValueHeaders: request.headersDistinct,
  body: body.length === 0 ? null : body.toString(),
  isBase64Encoded: false,
});

const httpApi: Form = (request, body) => ({
  requestContext: { http: { method: request.method ?? "" } },
  headers: joined(request),
  ...(body.length > 0 && { body: body.toString() }),
  isBase64Encoded: false,
});

const functionUrl: Form = (request, body) => ({
  ...httpApi(request, body),
  ...(body.length > 0 && { body: body.toString("base64") }),
  isBase64Encoded: true,
});

export const lambdas: readonly Framework[] = [
  framework("AWS Lambda behind a REST API (payload format 1.0)", restApi),
  framework("AWS Lambda behind an HTTP API (payload format 2.0)", httpApi),
  framework("AWS Lambda behind a function URL, in base64", functionUrl),
];

function framework(name: string, form: Form): Framework {
  return {
    name,
    serve: (webhooks) => listening(gateway(form, webhooks.lambdaHandler())),
    serveAfterParser(webhooks) {
      const handle = webhooks.lambdaHandler();
      // Like a middleware that parses JSON.
      return listening(
        gateway(form, (event) => {
          const text = Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");
          return handle({ ...event, body: JSON.parse(text.toString()), isBase64Encoded: false });
        }),
      );
    },
    cure: /Remove the middleware that parses event\.body, such as middy/,
    buffers: true,
  };
}

/** Reads a whole request, turns it into an event, and responds with the function's result. */
function gateway(form: Form, handle: LambdaHandler) {
  return async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request).catch(() => undefined);
    // The sender disconnected halfway, so the function is not called.
    if (body === undefined) return;
    const { statusCode, headers, body: answer } = await handle(form(request, body));
    response.writeHead(statusCode, headers).end(answer);
  };
}
