// A sandbox on a port, or with `bare` node:http alone that answers every request with the bytes which the sandbox
// gave for it. A process of its own, so that its work is not counted as a client's; ends with its parent.
import { createServer } from "node:http";
import { createSandbox } from "../dist/sandbox.js";
import { body, headersWith, paymentsPath } from "./sandbox-requests.ts";

const sandbox = createSandbox({ identity: "bench" });
const headers = headersWith(sandbox.secretKey);
const url = `http://127.0.0.1${paymentsPath}`;
const created = await sandbox.fetch(new Request(url, { method: "POST", headers, body }));
const { paymentId } = await created.clone().json();
const readPath = `${paymentsPath}/${paymentId}`;
const read = await sandbox.fetch(new Request(url.replace(paymentsPath, readPath), { headers }));

/** What the answer is sent with: the same headers, and the same bytes. */
async function sentOf(answer: Response) {
  const bytes = Buffer.from(await answer.arrayBuffer());
  const fields = [...answer.headers].flat().concat("Content-Length", String(bytes.length));
  return { status: answer.status, fields, bytes };
}

if (process.argv[2] === "bare") {
  const [creation, reading] = [await sentOf(created), await sentOf(read)];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.once("end", () => {
      const { status, fields, bytes } = request.method === "POST" ? creation : reading;
      response.writeHead(status, fields).end(bytes);
    });
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (typeof address === "object") process.send?.({ port: address?.port, readPath });
  });
} else {
  process.send?.({ port: (await sandbox.listen({ port: 0 })).port, readPath });
}
process.once("disconnect", () => process.exit());
