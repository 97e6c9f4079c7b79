import type { NodeRequest } from "../node-body.ts";
import type { NodeResponse } from "../node-handler.ts";
import type { Webhooks } from "../webhooks.ts";

/** Which deliveries `fastifyWebhooks` takes, and where. */
export interface FastifyWebhooksOptions {
  readonly webhooks: Pick<Webhooks, "nodeHandler">;
  /** The route's path, after the `prefix` that Fastify adds. Default: `/webhooks`. */
  readonly path?: string | undefined;
}

/** The part of a Fastify instance that is used, so that these types need no Fastify. */
export interface FastifyContext {
  all(
    path: string,
    options: {
      onRequest(
        request: { readonly raw: NodeRequest },
        reply: { readonly raw: NodeResponse; hijack(): unknown },
      ): Promise<void>;
    },
    handler: () => void,
  ): unknown;
}

/**
 * A Fastify plugin with one route, which receives webhooks and answers as `nodeHandler` does. Routes
 * beside it keep their parsed bodies.
 *
 * @example
 * ```ts
 * app.register(fastifyWebhooks, { webhooks, path: "/webhooks" });
 * ```
 */
export async function fastifyWebhooks(
  fastify: FastifyContext,
  { webhooks, path = "/webhooks" }: FastifyWebhooksOptions,
): Promise<void> {
  const handle = webhooks.nodeHandler();
  fastify.all(
    path,
    {
      // Before Fastify or any plugin reads the body; nothing is left for the route's own handler.
      onRequest(request, reply) {
        reply.hijack();
        return handle(request.raw, reply.raw);
      },
    },
    () => {},
  );
}
