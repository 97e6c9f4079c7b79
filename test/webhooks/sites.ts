import { once } from "node:events";
import http from "node:http";
import { type AddressInfo, connect } from "node:net";
import { type Delivery, delivery } from "./deliveries.ts";

/** A server on a free port, closed with its connections at the end of the scope. */
export interface Site extends AsyncDisposable {
  readonly port: number;
  /** Where webhooks are received. */
  readonly url: string;
  readonly server: http.Server;
}

export async function listening(listener: http.RequestListener): Promise<Site> {
  const server = http.createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return siteOf(server);
}

export function siteOf(server: http.Server): Site {
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/webhooks`,
    server,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const post = (url: string, { body, headers }: Delivery<string | Uint8Array> = delivery()) =>
  fetch(url, {
    method: "POST",
    body: body as BodyInit,
    headers: { "content-type": "application/json", ...headers },
  });

/** Sends raw text. Returns everything that arrives before the server closes the connection. */
export async function exchange(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(text);
  let received = "";
  socket.setEncoding("latin1").on("data", (chunk) => {
    received += chunk;
  });
  socket.on("error", () => undefined);
  await new Promise((resolve) => socket.on("close", resolve));
  return received;
}

/** Sends raw text, and nothing more. Returns the status of the response. */
export async function statusFor(port: number, text: string): Promise<number> {
  const socket = connect(port, "127.0.0.1");
  try {
    socket.write(text);
    const [beginning] = (await once(socket, "data")) as [Buffer];
    return Number(/^HTTP\/1\.1 (\d{3}) /.exec(beginning.toString("latin1"))?.[1]);
  } finally {
    socket.destroy();
  }
}

/** The request line and headers for a body of this length. */
export function head(length: number, headers = delivery().headers): string {
  const lines = Object.entries({ host: "shop.example", "content-length": length, ...headers });
  return `POST /webhooks HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
}
