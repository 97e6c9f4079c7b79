import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener, type HttpBindings, RequestError } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import * as z from "zod/mini";
import { ConfigurationError } from "../errors.ts";
import { requireOwnRequest } from "../runtime.ts";
import { invalidOption, show } from "../values.ts";
import { defaultSandboxPort } from "../wire/credential.ts";
import { checkOptions, must } from "../wire/fields.ts";
import { isWholeWithin } from "./checks.ts";
import { type Connection, firstHalf, isUnanswered, type SandboxApp } from "./connection.ts";
import { optionsOf, withCode } from "./options.ts";
import { errorEvidence, evidenceHeader } from "./service/answers.ts";

/**
 * Addresses, as URL writes them, and this machine's names. Others must be allowed, against DNS rebinding: a web page can
 * make its own name resolve to this machine, and the browser then treats the sandbox as part of that page, but sends the
 * page's name. Addresses cannot be rebound.
 */
const localNames = /^(?:\[.*|\d+\.\d+\.\d+\.\d+|(?:.+\.)?localhost)$/;

function canonical(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, "");
}

/** Rejects names that can never match when the server starts, not on the first request. */
function checkedName(name: string): string {
  const parsed = URL.parse(`http://${name}/`);
  if (typeof name === "string" && parsed?.hostname === canonical(name)) return canonical(name);
  const message = `${show(name)} is not a host name. Pass names without a scheme or port, such as "sandbox".`;
  throw invalidOption("allowedHosts", message, "invalid_allowed_host");
}

/** The URL of a server. If it listens on every interface, the URL has the loopback address. */
function serverUrl({ address, family, port }: AddressInfo): string {
  if (address === "0.0.0.0" || address === "::") return `http://127.0.0.1:${port}`;
  return family === "IPv6" ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}

/** The address that the sandbox listens on. */
export interface ListenOptions {
  /** Default 4010; 0 for any free port. */
  readonly port?: number | undefined;
  /** Default 127.0.0.1, which other machines cannot reach. */
  readonly host?: string | undefined;
  /**
   * Names under which clients may reach the sandbox, such as `sandbox` in a container network. Addresses, `localhost`,
   * its subdomains and `host` always work. Any other name gets a 403: a web page could make its own name resolve to
   * this machine.
   */
  readonly allowedHosts?: readonly string[] | undefined;
}

/** A sandbox on a port. */
export interface SandboxServer {
  /** The `baseUrl` for clients, such as `http://127.0.0.1:4010`. */
  readonly url: string;
  readonly port: number;
  /** Frees the port and closes open connections. Can be called more than once. */
  close(): Promise<void>;
  /** `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const ownHost = must(
  "a name or address of this machine",
  ' Leave it out to listen on 127.0.0.1, or pass "0.0.0.0" to accept connections from other machines.',
);

const listenSchema = optionsOf({
  // Node would treat a string as a socket path.
  port: z.custom<number>(
    (port) => isWholeWithin(port, 0, 65_535),
    must("a whole number from 0 to 65535", " Pass 0 for any free port."),
  ),
  // Node treats an empty host as every interface, and an unset variable must not expose this machine.
  host: z
    .string(ownHost)
    .check(z.refine((host) => host !== "", withCode("cannot_listen", ownHost))),
  // `checkedName` checks each of them.
  allowedHosts: z.array(z.custom<string>(), must('an array of names, such as ["sandbox"]')),
});

/** @throws {ConfigurationError} code `invalid_option`, `port_taken`, `cannot_listen` or `invalid_allowed_host`. */
export async function listen(app: SandboxApp, options: ListenOptions = {}): Promise<SandboxServer> {
  requireOwnRequest();
  checkOptions(listenSchema, options);
  const { port = defaultSandboxPort, host = "127.0.0.1", allowedHosts: names = [] } = options;
  const allowed = new Set([...names.map(checkedName), canonical(host)]);
  const isAllowedHost = (hostname: string) =>
    allowed.has(canonical(hostname)) || localNames.test(canonical(hostname));
  const answer: Answer = async (request, { incoming, outgoing }) => {
    const connection: Connection = { signal: request.signal, isAllowedHost };
    const response = await app.fetch(whole(request), connection);
    // The adapter soon closes a connection whose request body was not read.
    if (!incoming.complete) response.headers.set("Connection", "close");
    if (connection.broken === undefined) return response;
    await breakOff(outgoing, response, connection);
    return RESPONSE_ALREADY_SENT;
  };
  return serve(answer, port, host);
}

type Answer = (request: Request, exchange: HttpBindings) => Promise<Response>;

/** @throws {ConfigurationError} code `port_taken` or `cannot_listen`. */
export async function serve(answer: Answer, port: number, host: string): Promise<SandboxServer> {
  const listener = getRequestListener(
    (request, env) => answer(request, env as HttpBindings),
    // Otherwise the adapter would replace the process's own Request and Response.
    { overrideGlobalObjects: false, errorHandler: invalidTarget },
  );
  // Clients close idle connections. If the server did, a request that a busy client sends at that moment would be lost.
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => {
    // A proxy ended TLS, so the sandbox's own pages and links need its scheme, which the adapter takes from the socket.
    const encrypted = /^https\b/.test(String(incoming.headers["x-forwarded-proto"]));
    Object.assign(incoming.socket, { encrypted });
    return listener(incoming, outgoing);
  });
  // Node's default of 511 is too short for a burst of parallel requests: connections beyond it are delayed or reset.
  server.listen({ port, host, backlog: 4_096 });
  await once(server, "listening").catch((cause: NodeJS.ErrnoException) => {
    const isTaken = cause.code === "EADDRINUSE";
    const message = isTaken
      ? `Port ${port} on ${host} is in use. Stop the process that uses it, or choose another port; 0 takes any free one.`
      : `Cannot listen on port ${port} of ${host}: ${cause.message}. Choose another host or port.`;
    throw new ConfigurationError(message, {
      code: isTaken ? "port_taken" : "cannot_listen",
      param: isTaken ? "port" : "host",
      cause,
    });
  });
  const address = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: serverUrl(address), port: address.port, close, [Symbol.asyncDispose]: close };
}

/** If the length is unknown, hono's body limit copies the request, which the adapter's class does not support. */
function whole(request: Request): Request {
  const { url, method, headers } = request;
  const hasLength = headers.has("Content-Length") && !headers.has("Transfer-Encoding");
  // Requests with these methods have no body to limit, and a copy of a TRACE is not possible.
  if (hasLength || ["GET", "HEAD", "TRACE"].includes(method)) return request;
  const init = { method, headers, body: request.body, signal: request.signal, duplex: "half" };
  return new Request(url, init);
}

/** Sends the part of the response that the fault lets through, then breaks the connection. */
async function breakOff(
  outgoing: HttpBindings["outgoing"],
  answer: Response,
  connection: Connection,
) {
  const { socket } = outgoing;
  if (isUnanswered(connection)) return void socket?.resetAndDestroy();
  const { half, headers } = await firstHalf(answer);
  outgoing.writeHead(answer.status, Object.fromEntries(headers));
  // Only after the first half was sent: a reset would overtake it.
  outgoing.write(half, () => {
    if (connection.broken?.connection === "reset") socket?.resetAndDestroy();
    else socket?.end();
  });
}

/** Responds to requests that the adapter cannot parse. */
function invalidTarget(error: unknown): Response {
  if (!(error instanceof RequestError)) throw error;
  const message =
    "The Host header is missing or invalid, or the path is not a URL. Send a valid Host header and path.";
  const code = "invalid_request";
  const body = { error: { type: "invalid_request_error", message, code } };
  const headers = { [evidenceHeader]: errorEvidence(400, code) };
  return Response.json(body, { status: 400, headers });
}
