import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { allowedHosts } from "./allowed-host.ts";
import { errorAnswer } from "./answer.ts";
import type { Exchange } from "./exchange.ts";
import { invalidRequest } from "./refusal.ts";
import { firstHalf, type Reply } from "./reply.ts";

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
  exchange: Exchange,
  { port = 4010, host = "127.0.0.1", allowedHosts: names = [] }: ListenOptions,
): Promise<SandboxServer> {
  const isAllowedHost = allowedHosts(names, host);
  const server = createAdaptorServer({
    fetch: async (request, env) => {
      const { hostname } = new URL(request.url);
      if (!isAllowedHost(hostname)) return errorAnswer(otherHost(hostname));
      // Without options for it, the adapter never speaks HTTP/2.
      const { outgoing } = env as HttpBindings;
      return send(await exchange(request, whenGone(outgoing)), outgoing);
    },
    // The adapter would otherwise replace the process's own Request and Response.
    overrideGlobalObjects: false,
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
      if ("closeAllConnections" in server) server.closeAllConnections();
    });
  }

  return { url: urlOf(address), port: address.port, close, [Symbol.asyncDispose]: close };
}

/** Aborts when the connection ends before the whole answer has left. */
function whenGone(outgoing: ServerResponse): AbortSignal {
  const gone = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) gone.abort();
  });
  return gone.signal;
}

/** Gives the adapter what it is to send, or breaks the connection without its help. */
async function send(reply: Reply, outgoing: ServerResponse): Promise<Response> {
  if (reply.kind === "answered") return reply.response;
  const { socket } = outgoing;
  if (reply.kind === "unanswered") {
    socket?.resetAndDestroy();
    return RESPONSE_ALREADY_SENT;
  }
  const { half, headers } = await firstHalf(reply);
  outgoing.writeHead(reply.response.status, Object.fromEntries(headers));
  // Only when the half has left: a reset would overtake it.
  outgoing.write(half, () => {
    if (reply.by === "reset") socket?.resetAndDestroy();
    else socket?.end();
  });
  return RESPONSE_ALREADY_SENT;
}

function otherHost(hostname: string) {
  return invalidRequest(403, {
    code: "host_not_allowed",
    message:
      `The settlekit sandbox does not answer to the name ${hostname}. Use 127.0.0.1 or localhost, or allow ` +
      "the name: allowedHosts of listen, --allow-host on the command line.",
  });
}

/** A host that means "every interface" is reached by the loopback address. */
function urlOf({ address, family, port }: AddressInfo): string {
  if (address === "0.0.0.0" || address === "::") return `http://127.0.0.1:${port}`;
  return family === "IPv6" ? `http://[${address}]:${port}` : `http://${address}:${port}`;
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
