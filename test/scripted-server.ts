import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as the server saw it. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** The server's reaction to one request: a response to send, or a function that handles it. */
export type Answer =
  | { status?: number; headers?: Record<string, string>; body?: unknown }
  | ((response: ServerResponse, received: Received) => void);

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly Received[];
}

/** A real HTTP server that sends these responses in order, and the last one from then on. */
export async function scriptedServer(...answers: Answer[]): Promise<ScriptedServer> {
  const requests: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const received = {
      method: request.method ?? "",
      url: request.url ?? "",
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    };
    requests.push(received);
    const answer = answers[Math.min(requests.length, answers.length) - 1] ?? {};
    if (typeof answer === "function") return answer(response, received);
    const { status = 200, headers = {}, body = {} } = answer;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Reads the request and cuts the connection without a response. */
export const reset: Answer = (response) => response.destroy();

/** Announces more bytes than it sends, then cuts the connection. */
export const truncated: Answer = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"paymentId":"pay', () => response.destroy());
};

/** Never answers. */
export const silent: Answer = () => {};
