import type { WebhookEventName } from "../webhooks/event.ts";
import { type SignedWebhook, type SignWebhookOptions, signWebhook } from "../webhooks/index.ts";

/** The event to sign, and the identifiers in unsigned headers. */
export type SignedDeliveryOptions<Name extends string = string> = SignWebhookOptions<Name>;

/** A delivery as node:http receives it: header names in lower case, the body in bytes. */
export interface NodeDelivery {
  readonly method: "POST";
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

/** The event of a REST API, of an HTTP API with payload format 1.0, or of a load balancer. */
export interface LambdaV1Event {
  readonly httpMethod: "POST";
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly multiValueHeaders: Record<string, string[]>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** The event of an HTTP API with payload format 2.0, or of a function URL. */
export interface LambdaV2Event {
  readonly version: "2.0";
  readonly rawPath: string;
  readonly headers: Record<string, string>;
  readonly requestContext: { readonly http: { readonly method: "POST"; readonly path: string } };
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** The form of a Lambda event. */
export interface LambdaForm {
  /** Default: "/webhooks". */
  readonly path?: string | undefined;
  /** Whether the body is base64, as API Gateway sends binary bodies. */
  readonly base64?: boolean | undefined;
}

/** A signed delivery, in the forms that platforms receive. */
export interface SignedDelivery extends SignedWebhook {
  /** As `node:http` and Express receive it. */
  node(): NodeDelivery;
  /** As functions behind API Gateway with payload format 1.0 or a load balancer receive it. */
  lambdaV1(form?: LambdaForm): LambdaV1Event;
  /** As functions behind API Gateway with payload format 2.0 or a function URL receive it. */
  lambdaV2(form?: LambdaForm): LambdaV2Event;
}

/**
 * Signs a delivery as the service does (interface section 6), to test a receiver.
 *
 * @throws {ConfigurationError} when an option is invalid.
 * @example
 * ```ts
 * const event = { event: "payment.updated", data: { status: "completed", orderId: "order_1" } } as const;
 * const delivery = signedDelivery({ event, secret });
 * const response = await app.request(delivery.request("https://shop.example/webhooks"));
 * const result = await handler(delivery.lambdaV2());
 * ```
 */
export function signedDelivery<const Name extends WebhookEventName | (string & {})>(
  options: SignedDeliveryOptions<Name>,
): SignedDelivery {
  const { body, headers, request } = signWebhook(options);
  const lambda = ({ path = "/webhooks", base64 = false }: LambdaForm = {}) => ({
    path,
    body: base64 ? Buffer.from(body).toString("base64") : body,
    isBase64Encoded: base64,
  });
  const inLowerCase = Object.fromEntries(new Headers(headers));
  const valueLists = Object.entries(headers).map(([name, value]) => [name, [value]]);
  return {
    body,
    headers,
    request,
    node: () => ({ method: "POST", headers: { ...inLowerCase }, body: Buffer.from(body) }),
    lambdaV1: (form) => ({
      httpMethod: "POST",
      headers,
      multiValueHeaders: Object.fromEntries(valueLists),
      ...lambda(form),
    }),
    lambdaV2: (form) => {
      const { path, ...content } = lambda(form);
      const requestContext = { http: { method: "POST", path } } as const;
      const headers = { ...inLowerCase };
      return { version: "2.0", rawPath: path, headers, requestContext, ...content };
    },
  };
}
