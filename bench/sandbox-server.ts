// A sandbox on a port, or with `bare` node:http alone that answers every request with the bytes which the sandbox
// gave for it. A process of its own, so that its work is not counted as a client's; ends with its parent.
import { createServer } from "node:http";
import { createSandbox } from "../dist/sandbox.js";
import { creation, paymentsPath } from "./sandbox-requests.ts";

const sandbox = createSandbox({ identity: "bench" });
const created = await sandbox.fetch(
  new Request(`http://127.0.0.1${paymentsPath}`, {
    method: "POST",
    headers: creation.headers(sandbox.secretKey),
    body: creation.body,
  }),
);

function bareServer(answer: Buffer) {
  const headers = [...created.headers].flat().concat("Content-Length", String(answer.length));
  return createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.once("end", () => response.writeHead(created.status, headers).end(answer));
  });
}

if (process.argv[2] === "bare") {
  const server = bareServer(Buffer.from(await created.arrayBuffer()));
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (typeof address === "object") process.send?.(address?.port);
  });
} else {
  process.send?.((await sandbox.listen({ port: 0 })).port);
}
process.once("disconnect", () => process.exit());
