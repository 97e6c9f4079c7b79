import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Sandbox } from "../../src/sandbox/index.ts";

/** What goes wrong with one request on its way to the service and back. */
export type Fault =
  | { readonly kind: "none" }
  | { readonly kind: "refused" }
  | { readonly kind: "reset"; readonly when: "before" | "after" | "mid-answer" }
  | { readonly kind: "status"; readonly status: number; readonly when: "before" | "after" }
  | { readonly kind: "limited"; readonly retryAfter: string | undefined }
  /** `late`: the service commits after the client has given up. */
  | { readonly kind: "silence"; readonly commits: "never" | "at once" | "late" }
  | { readonly kind: "truncated" }
  | { readonly kind: "html"; readonly status: number }
  | { readonly kind: "fields missing" }
  | { readonly kind: "answered twice" }
  | { readonly kind: "clock jump"; readonly days: number };

export interface FaultyService extends AsyncDisposable {
  readonly url: string;
  /** A fetch with one fault per request, in order, and no faults after the last. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** How far the local clock has jumped, in milliseconds. */
  readonly clockJumpMs: number;
  /** Resolves when the service has received a request that it will not answer. */
  readonly silent: Promise<void>;
  /** Resolves when the service has finished all pending work. */
  settled(): Promise<void>;
}

/** The sandbox behind real sockets that break as planned. */
export async function faultyService(
  sandbox: Sandbox,
  faults: readonly Fault[],
): Promise<FaultyService> {
  const underWay = new Set<Promise<unknown>>();
  const sockets = new Set<Socket>();
  const { promise: silent, resolve: fallSilent } = Promise.withResolvers<void>();
  let clockJumpMs = 0;
  let requests = 0;

  const server = createServer((request, response) => {
    const fault = faults[Number(request.headers["x-request-number"])] ?? { kind: "none" };
    const work = meet(fault, request, response).catch(() => response.destroy());
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  /** Passes the request to the sandbox, which executes it. */
  async function commit(
    request: IncomingMessage,
    given?: string,
  ): Promise<{ status: number; text: string }> {
    const text = given ?? (await bodyOf(request));
    const { method = "GET", headers } = request;
    const body = method === "GET" ? undefined : text;
    const answer = await sandbox.fetch(
      new Request(`${url}${request.url}`, {
        method,
        headers: headers as Record<string, string>,
        ...(body !== undefined && { body }),
      }),
    );
    return { status: answer.status, text: await answer.text() };
  }

  async function meet(
    fault: Fault,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const json = { "content-type": "application/json" };
    switch (fault.kind) {
      case "reset": {
        if (fault.when === "before") return void request.socket.destroy();
        const { status, text } = await commit(request);
        if (fault.when === "after") return void request.socket.destroy();
        response.writeHead(status, { ...json, "content-length": Buffer.byteLength(text) });
        response.write(text.slice(0, text.length / 2), () => request.socket.destroy());
        return;
      }
      case "status": {
        if (fault.when === "after") await commit(request);
        response.writeHead(fault.status, json).end('{"code":"server_error","message":"Oh no"}');
        return;
      }
      case "limited": {
        const retryAfter =
          fault.retryAfter === undefined ? {} : { "retry-after": fault.retryAfter };
        response.writeHead(429, { ...json, ...retryAfter }).end("{}");
        return;
      }
      case "silence": {
        const body = await bodyOf(request);
        const givenUp = once(response, "close");
        fallSilent();
        if (fault.commits === "late") await givenUp;
        if (fault.commits !== "never") await commit(request, body);
        return;
      }
      case "truncated": {
        const { status, text } = await commit(request);
        response.writeHead(status, json).end(text.slice(0, text.length / 2));
        return;
      }
      case "html": {
        if (fault.status < 300) await commit(request);
        const page = "<!doctype html><title>Bad gateway</title>";
        response.writeHead(fault.status, { "content-type": "text/html" }).end(page);
        return;
      }
      case "fields missing": {
        const { status, text } = await commit(request);
        const { id, secret, paymentUrl, data, ...rest } = JSON.parse(text);
        response.writeHead(status, json).end(JSON.stringify(rest));
        return;
      }
      default: {
        const { status, text } = await commit(request);
        const days = fault.kind === "clock jump" ? fault.days : 0;
        const date = new Date(Date.now() + days * 86_400_000).toUTCString();
        response.writeHead(status, { ...json, date, "content-length": Buffer.byteLength(text) });
        response.end(text);
        if (fault.kind !== "answered twice") return;
        const head = `HTTP/1.1 ${status} Again\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n`;
        response.on("finish", () => request.socket.write(head + text));
      }
    }
  }

  return {
    url,
    silent,
    get clockJumpMs() {
      return clockJumpMs;
    },
    fetch(target, init) {
      const number = requests++;
      const fault = faults[number];
      if (fault?.kind === "clock jump") clockJumpMs += fault.days * 86_400_000;
      // Nothing listens on port 2, so a real connection is refused. The error then names the service's port.
      if (fault?.kind === "refused") {
        return fetch(target.replace(url, "http://127.0.0.1:2"), init).catch((error) => {
          Object.assign(error.cause, { port: Number(new URL(url).port) });
          throw error;
        });
      }
      return fetch(target, {
        ...init,
        headers: { ...init.headers, "x-request-number": String(number) },
      });
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
