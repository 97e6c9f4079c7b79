// With the optional peer, and the framework that has a plugin.

import Fastify from "fastify";
import { setupServer } from "msw/node";
import { createSandbox } from "settlekit/sandbox";
import { sandboxHandlers } from "settlekit/testing/msw";
import { Webhooks } from "settlekit/webhooks";
import { fastifyWebhooks } from "settlekit/webhooks/fastify";

export const mocked = setupServer(...sandboxHandlers(createSandbox()));
export const app = Fastify();
app.register(fastifyWebhooks, { webhooks: new Webhooks({ secret: "s" }), path: "/webhooks" });
// @ts-expect-error the plugin needs a verifier
app.register(fastifyWebhooks, { path: "/webhooks" });
