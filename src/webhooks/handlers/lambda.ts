import type { Receive } from "../delivery.ts";
import type { WebhookHeaders } from "../headers.ts";

/** The part that is used of events from API Gateway, function URLs and load balancers. */
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

/** A response in a form that all of these accept. */
export interface LambdaResult {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}

/** Receives deliveries and responds, for AWS Lambda behind HTTP. */
export type LambdaHandler = (event: LambdaEvent) => Promise<LambdaResult>;

export function createLambdaHandler(receive: Receive): LambdaHandler {
  return async (event) => {
    // Other triggers may pass anything; an event without a method gets 405.
    const { httpMethod, multiValueHeaders, headers, body, isBase64Encoded, requestContext } =
      (event ?? {}) as Partial<LambdaEventV1 & LambdaEventV2>;
    const { status, ...answer } = await receive({
      method: httpMethod ?? requestContext?.http?.method,
      // `headers` has only the last of repeated values.
      headers: multiValueHeaders ?? headers,
      readBody: () => (isBase64Encoded ? Buffer.from(body ?? "", "base64") : (body ?? "")),
    });
    return { statusCode: status, ...answer, body: "" };
  };
}
