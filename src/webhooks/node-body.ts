import { bodyAlreadyParsed } from "./body-check.ts";
import { asRawBody, concatenate, type RawBody, toBytes } from "./raw-body.ts";

/** The part of Node's `IncomingMessage` that is used, and what frameworks put on it. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly httpVersionMajor?: number;
  /** Whether the whole request was received. */
  readonly complete?: boolean;
  readonly destroyed?: boolean;
  readonly readableEnded?: boolean;
  /** Whether something began to read the body. */
  readonly readableDidRead?: boolean;
  /** Set by body parsers: text and bytes can be verified, anything else was parsed. */
  readonly body?: unknown;
  /** Set by NestJS and by some hosts beside a parsed `body`. */
  readonly rawBody?: unknown;
  on(event: string, listener: (argument: string | Uint8Array) => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

/** The body of a Node request, wherever it is by now. */
export function readNodeBody(request: NodeRequest, maxBodyBytes: number) {
  const { body, rawBody, readableDidRead } = request;
  const received = asRawBody(rawBody) ?? asRawBody(body);
  // Some parsers leave "" or {} on requests that they did not read.
  if (!received && !readableDidRead && isEmpty(body)) return readStream(request, maxBodyBytes);
  if (received !== undefined) return received;
  throw bodyAlreadyParsed();
}

function isEmpty(body: unknown): boolean {
  return Object.keys(Object(body)).length === 0;
}

/** As much of the body as the limit allows and one chunk more; undefined when the sender left. */
function readStream(request: NodeRequest, maxBodyBytes: number): Promise<RawBody | undefined> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let byteLength = 0;
    const end = () => resolve(concatenate(chunks));
    const senderLeft = () => resolve(undefined);
    request.on("data", (chunk) => {
      const bytes = toBytes(chunk);
      chunks.push(bytes);
      byteLength += bytes.length;
      if (byteLength <= maxBodyBytes) return;
      request.pause();
      end();
    });
    request.on("end", end);
    request.on("error", senderLeft);
    request.on("close", senderLeft);
    // Where its events are over already, none of these will come.
    if (request.readableEnded) end();
    else if (request.destroyed) senderLeft();
    // It may have been paused until somebody would want it.
    else request.resume();
  });
}
