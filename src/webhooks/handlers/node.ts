import { asRawBody, bodyAlreadyParsed, growingBody, type RawBody } from "../body.ts";
import type { ReadBody, Receive } from "../delivery.ts";

/** The part of Node's `IncomingMessage` that is used, with what frameworks add to it. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly httpVersionMajor?: number;
  /** Whether the whole request was received. */
  readonly complete?: boolean;
  readonly destroyed?: boolean;
  readonly readableEnded?: boolean;
  /** Whether anything has started to read the body. */
  readonly readableDidRead?: boolean;
  /** Set by body parsers: text and bytes can be verified, anything else was parsed. */
  readonly body?: unknown;
  /** Set by NestJS and some hosts in addition to a parsed `body`. */
  readonly rawBody?: unknown;
  /** In HTTP/2. */
  readonly stream?: {
    /** Ends the request's stream, and leaves the connection open. */
    close?(): unknown;
    /** The connection. */
    readonly session?:
      | {
          /** Ends it once its other streams have finished. */
          close(): unknown;
        }
      | undefined;
  };
  on(event: string, listener: (argument: string | Uint8Array) => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

/** The part of Node's `ServerResponse` that is used. */
export interface NodeResponse {
  statusCode: number;
  readonly headersSent: boolean;
  setHeader(name: string, value: string): unknown;
  end(): unknown;
}

/**
 * Receives deliveries and responds, as a listener for node:http. It never calls the `next` that Express and Connect
 * pass, because it responds to every request.
 */
export type NodeHandler = (
  request: NodeRequest,
  response: NodeResponse,
  next?: (error?: unknown) => void,
) => Promise<void>;

export function createNodeHandler(receive: Receive): NodeHandler {
  return async (request, response) => {
    const { status, headers } = await receive(request, (...limits) => readBody(request, ...limits));
    // Something else, such as the framework's time limit, may have responded meanwhile.
    if (response.headersSent) return;
    response.statusCode = status;
    const isHttp2 = request.httpVersionMajor === 2;
    const isUnread = request.complete === false;
    // Otherwise Node reads the rest of a refused body, however long, to reuse the connection.
    if (isUnread && !isHttp2) headers.Connection = "close";
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.end();
    if (!isUnread || !isHttp2) return;
    // Unread bytes take up the connection's flow control window for ever, so a few refusals would block all requests.
    request.stream?.session?.close();
    // Node 26 drops a response that it has not sent before its stream closes.
    await new Promise(setImmediate);
    // Otherwise the stream stays open until the sender has sent the rest.
    request.stream?.close?.();
  };
}

function readBody(request: NodeRequest, ...limits: Parameters<ReadBody>) {
  const { body, rawBody, readableDidRead } = request;
  const received = asRawBody(rawBody) ?? asRawBody(body);
  // Some parsers leave "" or {} on requests that they did not read.
  const isRead = received || readableDidRead || Object.keys(Object(body)).length > 0;
  if (!isRead) return readStream(request, ...limits);
  if (received === undefined) throw bodyAlreadyParsed();
  return received;
}

function readStream(request: NodeRequest, ...[maxBodyBytes, signal]: Parameters<ReadBody>) {
  return new Promise<RawBody | undefined>((resolve, reject) => {
    const body = growingBody(maxBodyBytes);
    const end = () => resolve(body.bytes());
    const disconnected = () => resolve(undefined);
    const stop = (reason: unknown) => {
      request.pause();
      reject(reason);
    };
    signal.addEventListener("abort", () => stop(signal.reason));
    request.on("data", (chunk) => {
      try {
        body.add(chunk);
      } catch (error) {
        stop(error);
      }
    });
    request.on("end", end);
    request.on("error", disconnected);
    request.on("close", disconnected);
    // Past events are not emitted again.
    if (request.readableEnded) end();
    else if (request.destroyed) disconnected();
    // The request may have been paused.
    else request.resume();
  });
}
