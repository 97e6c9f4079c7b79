import { type NodeRequest, readNodeBody } from "./node-body.ts";
import type { Receiver } from "./receiver.ts";

/** The part of Node's `ServerResponse` that is used. */
export interface NodeResponse {
  statusCode: number;
  readonly headersSent: boolean;
  setHeader(name: string, value: string): unknown;
  end(): unknown;
}

/**
 * Takes a delivery and answers it, in the manner of node:http. `next`, which Express and Connect
 * hand over, is never called: every request gets its answer here.
 */
export type NodeHandler = (
  request: NodeRequest,
  response: NodeResponse,
  next?: (error?: unknown) => void,
) => Promise<void>;

export function createNodeHandler(receiver: Receiver): NodeHandler {
  return async (request, response) => {
    const { method, headers } = request;
    const readBody = (maxBodyBytes: number) => readNodeBody(request, maxBodyBytes);
    const answer = await receiver.receive({ method, headers, readBody });
    // Somebody else, such as a time-out, may have answered meanwhile.
    if (response.headersSent) return;
    response.statusCode = answer.status;
    // Else Node would read the rest of a refused body, however long, to reuse the connection.
    if (request.complete === false && request.httpVersionMajor !== 2) {
      answer.headers.Connection = "close";
    }
    for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
    response.end();
  };
}
