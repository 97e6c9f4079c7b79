import type { NodeRequest } from "../node-body.ts";
import type { NodeResponse } from "../node-handler.ts";
import type { Webhooks } from "../webhooks.ts";

export interface FastifyWebhooksOptions {
  readonly webhooks: Pick<Webhooks, "nodeHandler">;
  /** The route's path, after the `prefix` that Fastify adds. Default: `/webhooks`. */
  readonly path?: string | undefined;
}

/** The part of a Fastify instance that is used, so that these types need no Fastify. */
export interface FastifyContext {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    contentType: string,
    parser: (request: unknown, payload: unknown, done: (error: null) => void) => void,
  ): unknown;
  all(
    path: string,
    handler: (
      request: { readonly raw: NodeRequest },
      reply: { readonly raw: NodeResponse; hijack(): unknown },
    ) => Promise<void>,
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
  // Only within this plugin: bodies are left for the handler to read.
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser("*", (_request, _payload, done) => done(null));
  fastify.all(path, (request, reply) => {
    reply.hijack();
    return handle(request.raw, reply.raw);
  });
}
