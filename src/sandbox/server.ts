import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { ConfigurationError } from "../errors/configuration-error.ts";

export interface ListenOptions {
  /** Default 4010; 0 takes any free port. */
  readonly port?: number | undefined;
  /** Default 127.0.0.1, which other machines cannot reach. */
  readonly host?: string | undefined;
}

/** A sandbox on a port. */
export interface SandboxServer {
  /** Such as `http://127.0.0.1:4010`: the client's `baseUrl`. */
  readonly url: string;
  readonly port: number;
  /** Frees the port and drops open connections. May be called again. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function listen(
  fetch: (request: Request) => Promise<Response>,
  { port = 4010, host = "127.0.0.1" }: ListenOptions,
): Promise<SandboxServer> {
  // The adapter would otherwise replace the process's own Request and Response.
  const server = createAdaptorServer({ fetch, overrideGlobalObjects: false });
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
