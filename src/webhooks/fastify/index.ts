export {
  type FastifyContext,
  type FastifyWebhooksOptions,
  fastifyWebhooks,
} from "./fastify-webhooks.ts";
