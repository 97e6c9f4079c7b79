import { invalidOption } from "../../values.ts";
import { bodyAlreadyParsed } from "../body.ts";
import type { Receive } from "../delivery.ts";
import type { WebhookHeaders } from "../headers.ts";

/** An event from API Gateway, a function URL or a load balancer: the fields that are used. */
export type LambdaEvent = LambdaEventV1 | LambdaEventV2;

interface LambdaRequest {
  readonly headers?: WebhookHeaders | null | undefined;
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean | undefined;
}

/** REST APIs, HTTP APIs with payload format 1.0, load balancers. */
export interface LambdaEventV1 extends LambdaRequest {
  readonly httpMethod: string;
  readonly multiValueHeaders?: WebhookHeaders | null | undefined;
}

/** HTTP APIs with payload format 2.0, function URLs. */
export interface LambdaEventV2 extends LambdaRequest {
  readonly requestContext: { readonly http: { readonly method: string } };
}

/** A response that API Gateway, function URLs and load balancers accept. */
export interface LambdaResult {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
  /** Load balancers require it. */
  isBase64Encoded: boolean;
}

/** Receives deliveries and responds, for AWS Lambda behind HTTP. */
export type LambdaHandler = (event: LambdaEvent) => Promise<LambdaResult>;

const cure = "Remove the middleware that parses event.body, such as middy's httpJsonBodyParser.";

const notHttp =
  "The event has no HTTP method. If it is from a queue, pass each message's raw body and headers to verify().";

export function createLambdaHandler(receive: Receive): LambdaHandler {
  return async (event) => {
    // Other triggers may pass anything.
    const { httpMethod, multiValueHeaders, headers, body, isBase64Encoded, requestContext } =
      (event ?? {}) as Partial<LambdaEventV1 & LambdaEventV2>;
    const method = httpMethod ?? requestContext?.http?.method;
    // Thrown, because a queue deletes its messages after any response.
    if (method === undefined) throw invalidOption("event", notHttp);
    // `headers` has only the last of repeated values. Events written for tests often have no lists.
    const hasLists = Object.keys(multiValueHeaders ?? {}).length > 0;
    const head = { method, headers: hasLists ? multiValueHeaders : headers };
    const { status, ...answer } = await receive(head, () => {
      const text: unknown = body ?? "";
      if (typeof text !== "string") throw bodyAlreadyParsed(cure);
      return isBase64Encoded ? Buffer.from(text, "base64") : text;
    });
    return { statusCode: status, ...answer, body: "", isBase64Encoded: false };
  };
}
