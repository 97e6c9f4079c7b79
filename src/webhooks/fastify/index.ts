/**
 * Webhooks as a Fastify plugin.
 *
 * @module settlekit/webhooks/fastify
 */
import { checkOptionNames, isFunction } from "../../values.ts";
import type { NodeRequest, NodeResponse } from "../handlers/node.ts";
import { checkOption } from "../options.ts";
import type { Webhooks } from "../webhooks.ts";

/** The options of `fastifyWebhooks`. */
export interface FastifyWebhooksOptions {
  /** A `Webhooks` instance, or an inbox. */
  readonly webhooks: Pick<Webhooks, "nodeHandler">;
  /** The route's path, after any `prefix` that Fastify adds. Default: `/webhooks`. */
  readonly path?: string | undefined;
}

/** The part of a Fastify instance that is used, so that these types do not depend on Fastify. */
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
 * A Fastify plugin with one route that receives webhooks and responds as `nodeHandler` does. Other routes still get
 * parsed bodies.
 *
 * @example
 * ```ts
 * app.register(fastifyWebhooks, { webhooks, path: "/webhooks" });
 * ```
 */
export async function fastifyWebhooks(
  fastify: FastifyContext,
  options: FastifyWebhooksOptions,
): Promise<void> {
  // Fastify itself reads the last three.
  checkOptionNames(options, ["webhooks", "path", "prefix", "logLevel", "logSerializers"]);
  const { webhooks, path = "/webhooks" } = options;
  checkOption("webhooks", isFunction(webhooks?.nodeHandler), "a Webhooks instance");
  const handle = webhooks.nodeHandler();
  fastify.all(
    path,
    {
      // Responds before Fastify or another plugin reads the body: the route's handler never runs.
      onRequest(request, reply) {
        reply.hijack();
        return handle(request.raw, reply.raw);
      },
    },
    () => {},
  );
}
