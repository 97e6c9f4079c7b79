import { express5 } from "./express.ts";
import { fastify5 } from "./fastify.ts";
import type { Framework } from "./framework.ts";
import { hono4 } from "./hono.ts";
import { koa3 } from "./koa.ts";
import { lambdas } from "./lambda.ts";
import { nextPages } from "./next-pages.ts";
import { nodeHttp } from "./node-http.ts";
import { webFetch } from "./web-fetch.ts";

export const frameworks: readonly Framework[] = [
  nodeHttp,
  express5,
  fastify5,
  koa3,
  hono4,
  webFetch,
  nextPages,
  ...lambdas,
];
