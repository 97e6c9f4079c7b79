/**
 * Webhooks as a Fastify plugin.
 *
 * @module settlekit/webhooks/fastify
 */
export {
  type FastifyContext,
  type FastifyWebhooksOptions,
  fastifyWebhooks,
} from "./fastify-webhooks.ts";
