import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { ConfigurationError } from "../../errors.ts";
import { defaultSandboxPort } from "../../wire/credential.ts";
import { allowedHosts } from "./allowed-host.ts";
import { type Doors, isForOwnRoutes } from "./doors.ts";
import { incomingHeaders, incomingText, incomingUrl, whenGone } from "./incoming.ts";
import { hasBody, type PlainAnswer, plainError } from "./plain-answer.ts";
import { invalidRequest } from "./refusal.ts";
import { firstHalf, type Reply } from "./reply.ts";
import { serverUrl } from "./server-url.ts";

/** Where the sandbox listens. */
export interface ListenOptions {
  /** Default 4010; 0 takes any free port. */
  readonly port?: number | undefined;
  /** Default 127.0.0.1, which other machines cannot reach. */
  readonly host?: string | undefined;
  /**
   * Names that clients may reach the sandbox by, such as `sandbox` in a network of containers. Addresses,
   * `localhost`, names under it and `host` always work; whatever comes by another name is answered 403, so
   * that no web page can reach the sandbox by a name of its own.
   */
  readonly allowedHosts?: readonly string[] | undefined;
}

/** A sandbox on a port. */
export interface SandboxServer {
  /** Such as `http://127.0.0.1:4010`: the client's `baseUrl`. */
  readonly url: string;
  readonly port: number;
  /** Frees the port and drops open connections. May be called again. */
  close(): Promise<void>;
  /** `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

export async function listen(
  doors: Doors,
  { port = defaultSandboxPort, host = "127.0.0.1", allowedHosts: names = [] }: ListenOptions,
): Promise<SandboxServer> {
  const isAllowedHost = allowedHosts(names, host);
  // The adapter would otherwise replace the process's own Request and Response.
  const showOwn = getRequestListener(doors.own, { overrideGlobalObjects: false });

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = "GET" } = incoming;
    const url = incomingUrl(incoming);
    if (url === undefined) return sendAnswer(plainError(invalidHost()), outgoing);
    if (!isAllowedHost(url.hostname))
      return sendAnswer(plainError(otherHost(url.hostname)), outgoing);
    const headers = incomingHeaders(incoming);
    if (isForOwnRoutes(headers, url.pathname)) return showOwn(incoming, outgoing);
    const bodyText = await incomingText(incoming);
    const onGone = whenGone(outgoing);
    send(await doors.service({ method, url, headers, bodyText, onGone }), outgoing);
  }

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error: unknown) => {
      // Whoever has left within the body is not to be told anything.
      if (incoming.destroyed && !incoming.complete) return;
      if (!outgoing.headersSent) sendAnswer(plainError(error), outgoing);
    });
  });
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, host, resolve);
    });
  } catch (error) {
    throw cannotListen(error, port, host);
  }

  const address = server.address() as AddressInfo;
  function close(): Promise<void> {
    return new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }

  return { url: serverUrl(address), port: address.port, close, [Symbol.asyncDispose]: close };
}

/** Sends what there is to be sent, and breaks the connection where that is what becomes of it. */
function send(reply: Reply, outgoing: ServerResponse): void {
  if (reply.kind === "answered") {
    sendAnswer(reply.answer, outgoing);
    return;
  }
  const { socket } = outgoing;
  if (reply.kind === "unanswered") {
    socket?.resetAndDestroy();
    return;
  }
  const { half, headers } = firstHalf(reply);
  outgoing.writeHead(reply.answer.status, headers);
  // Only when the half has left: a reset would overtake it.
  outgoing.write(half, () => {
    if (reply.by === "reset") socket?.resetAndDestroy();
    else socket?.end();
  });
}

function sendAnswer(answer: PlainAnswer, outgoing: ServerResponse): void {
  const { status, headers } = answer;
  if (!hasBody(answer)) {
    outgoing.writeHead(status, headers).end();
    return;
  }
  const { text } = answer.body;
  const length = Buffer.byteLength(text);
  outgoing.writeHead(status, { ...headers, "Content-Length": length });
  // ASCII alone is the same bytes in both encodings, and this one is written faster.
  outgoing.end(text, length === text.length ? "latin1" : "utf8");
}

function invalidHost() {
  return invalidRequest(400, {
    code: "invalid_request",
    message: "The header Host is missing or names no host. Send where the request goes to.",
  });
}

function otherHost(hostname: string) {
  return invalidRequest(403, {
    code: "host_not_allowed",
    message:
      `The settlekit sandbox does not answer to the name ${hostname}. Use 127.0.0.1 or localhost, or allow ` +
      "the name: allowedHosts of listen, --allow-host on the command line.",
  });
}

function cannotListen(error: unknown, port: number, host: string): ConfigurationError {
  const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
  if (isTaken) {
    return new ConfigurationError(
      `Port ${port} on ${host} is taken, perhaps by another sandbox. Close that one, or use port: 0 ` +
        "for any free port.",
      { code: "port_taken", param: "port", cause: error },
    );
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new ConfigurationError(
    `The sandbox cannot listen on port ${port} of ${host}: ${reason}. Choose another host or port.`,
    { code: "cannot_listen", param: "host", cause: error },
  );
}
