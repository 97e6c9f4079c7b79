// Handlers with Node's own types.

import { createServer } from "node:http";
import { Webhooks } from "settlekit/webhooks";

const webhooks = new Webhooks({ secret: Buffer.from("s") });
export const server = createServer(webhooks.nodeHandler());
export const body = (raw: Buffer, headers: NodeJS.Dict<string | string[]>) =>
  webhooks.verifySync({ body: raw, headers });
