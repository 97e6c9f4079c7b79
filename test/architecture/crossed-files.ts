// Prints the files of src in which a call executes a function, according to V8's precise coverage.
// crossed-files.test.ts runs it in a process of its own.

import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { Session } from "node:inspector/promises";
import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { MerchantClient } from "../../src/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";

const root = resolve(import.meta.dirname, "../..");

/** Starts a server, and resolves to its URL. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

/** The files of src in which `work` executes a function. */
async function crossedBy(work: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await work();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  return result
    .filter(({ functions }) => functions.some(({ ranges }) => ranges.some((it) => it.count > 0)))
    .filter(({ url }) => url.startsWith("file:"))
    .map(({ url }) => relative(root, fileURLToPath(url)))
    .filter((path) => path.startsWith("src/"))
    .sort();
}

const path = "/v1/external/secretkey-auth/payments";
const order = { amount: 2500, orderId: "order_1" };

const creationFrom = (secretKey: string) => ({
  method: "POST",
  headers: { "Content-Type": "application/json", "X-Service-Secret-Key": secretKey },
  body: JSON.stringify({ ...order, currency: "USD" }),
});

async function clientCall(): Promise<string[]> {
  const sandbox = createSandbox();
  const request = new Request(`http://127.0.0.1${path}`, creationFrom(sandbox.secretKey));
  const created = await (await sandbox.fetch(request)).text();
  const baseUrl = await serve((request, response) => {
    const headers = { "Content-Type": "application/json" };
    request.resume().once("end", () => response.writeHead(201, headers).end(created));
  });
  const { secretKey } = sandbox;
  const client = new MerchantClient({ environment: "sandbox", baseUrl, secretKey });
  return crossedBy(() => client.payments.create(order));
}

async function servicePost(): Promise<string[]> {
  let delivered = () => {};
  const webhookUrl = await serve((request, response) => {
    request.resume().once("end", () => {
      response.end();
      delivered();
    });
  });
  const sandbox = createSandbox({ webhookUrl });
  await using server = await sandbox.listen({ port: 0 });
  const creation = creationFrom(sandbox.secretKey);
  return await crossedBy(async () => {
    const delivery = new Promise<void>((resolve) => {
      delivered = resolve;
    });
    const response = await fetch(server.url + path, creation);
    if (response.status !== 201) throw new Error(await response.text());
    await Promise.all([response.text(), delivery]);
  });
}

process.stdout.write(
  JSON.stringify({ clientCall: await clientCall(), servicePost: await servicePost() }),
);
