// A server for the benches, in a process of its own so that its work is not counted as a client's. It sends its
// port to its parent, and exits with it. Its argument is one of
//
//   payment   bare node:http, which returns the same payment for every request
//   sandbox   a sandbox
//   replay    bare node:http, which returns the same bytes as the sandbox

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createSandbox } from "../dist/sandbox.js";
import { createdPayment, headersWith, order, paymentsPath } from "./payloads.ts";

interface Canned {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

const kind = process.argv[2];
const sandbox = createSandbox({ identity: "bench" });
const { create, read, readPath } = await record();

if (kind === "sandbox") {
  const { port } = await sandbox.listen({ port: 0 });
  process.send?.({ port, readPath });
} else {
  const payment: Canned = {
    status: 201,
    headers: ["Content-Type", "application/json"],
    body: Buffer.from(JSON.stringify(createdPayment)),
  };
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      const answer = kind === "payment" ? payment : request.method === "POST" ? create : read;
      const length = ["Content-Length", String(answer.body.length)];
      response.writeHead(answer.status, [...answer.headers, ...length]).end(answer.body);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => {
    process.send?.({ port: (server.address() as AddressInfo).port, readPath });
  });
}
process.once("disconnect", () => process.exit());

/** Records the sandbox's responses to creating and reading a payment. */
async function record() {
  const origin = "http://127.0.0.1";
  const headers = headersWith(sandbox.secretKey);
  const creation = { method: "POST", headers, body: JSON.stringify(order) };
  const created = await sandbox.fetch(new Request(origin + paymentsPath, creation));
  const { paymentId } = await created.clone().json();
  const readPath = `${paymentsPath}/${paymentId}`;
  const payment = await sandbox.fetch(new Request(origin + readPath, { headers }));
  return { readPath, create: await cannedFrom(created), read: await cannedFrom(payment) };
}

async function cannedFrom(answer: Response): Promise<Canned> {
  const body = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, headers: [...answer.headers].flat(), body };
}
