import { BodyBuffer, type BodySource, bodyAlreadyParsed } from "./body-source.ts";
import { asRawBody, type RawBody } from "./raw-body.ts";

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
  on(event: string, listener: (argument: RawBody) => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

/** The body of a Node request, wherever it is by now. */
export function nodeBody(request: NodeRequest): BodySource {
  const { body, rawBody, readableDidRead = false } = request;
  const received = asRawBody(rawBody) ?? asRawBody(body);
  if (received?.length) return received;
  // Some parsers leave "" or {} on requests that they did not read.
  const nothingParsed = received !== undefined || isEmpty(body);
  if (nothingParsed && !readableDidRead) return (limit) => readStream(request, limit);
  if (received !== undefined) return received;
  throw bodyAlreadyParsed(
    nothingParsed ? "The request's body was read before." : "The request's body was parsed before.",
  );
}

function isEmpty(body: unknown): boolean {
  if (body === undefined || body === null) return true;
  return typeof body === "object" && !Array.isArray(body) && Object.keys(body).length === 0;
}

function readStream(request: NodeRequest, maxBodyBytes: number): Promise<RawBody | undefined> {
  return new Promise((resolve, reject) => {
    const buffer = new BodyBuffer(maxBodyBytes);
    const senderLeft = () => resolve(undefined);
    request.on("data", (chunk) => {
      try {
        buffer.add(chunk);
      } catch (error) {
        request.pause();
        reject(error);
      }
    });
    request.on("end", () => resolve(buffer.bytes()));
    request.on("error", senderLeft);
    request.on("close", senderLeft);
    // Where its events are over already, none of these will come.
    if (request.readableEnded) resolve(buffer.bytes());
    else if (request.destroyed) senderLeft();
    // It may have been paused until somebody would want it.
    else request.resume();
  });
}
