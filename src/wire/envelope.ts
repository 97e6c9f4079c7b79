import { isRecord } from "../values.ts";

/** What an error answer says, whatever its form (interface section 7). */
export interface ErrorFacts {
  readonly type?: string;
  readonly code?: string;
  readonly message?: string;
  readonly param?: string;
  /** The service's name for the request; some descriptions have it in the body. */
  readonly requestId?: string;
  /** The parsed body, or its text where it is no JSON. */
  readonly body: unknown;
}

const maxMessageLength = 500;

/**
 * Reads the body of an error answer. Accepts the documented envelope, a flat `{ code, message }`, the
 * `{ statusCode, message, error }` of a common framework, and the text, HTML or nothing that a proxy
 * sends. Never throws.
 */
export function readErrorBody(text: string): ErrorFacts {
  const body = parseJson(text);
  if (body === undefined) return { ...textMessage(text), body: text };
  if (typeof body === "string") return { ...optional("message", body), body };
  if (!isRecord(body)) return { body };
  const source = isRecord(body.error) ? body.error : body;
  return {
    ...optional("type", source.type),
    ...optional("code", source.code),
    ...optional("message", source.message ?? body.message ?? body.error),
    ...optional("param", source.param),
    ...optional("requestId", source.requestId ?? body.requestId),
    body,
  };
}

/** The code that the document's overview gives to a status, for answers that bring none. */
export function codeForStatus(status: number): string {
  switch (status) {
    case 400:
      return "invalid_request";
    case 401:
      return "unauthorized";
    case 403:
      return "forbidden";
    case 404:
      return "not_found";
    case 409:
      return "idempotency_conflict";
    case 422:
      return "validation_error";
    case 429:
      return "rate_limited";
    default:
      return status >= 500 ? "server_error" : `http_${status}`;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A field as printable text, left out when there is nothing to print. */
function optional<Name extends string>(name: Name, value: unknown): { [name in Name]?: string } {
  const parts = Array.isArray(value) ? value : [value];
  const text = printable(parts.filter((part) => typeof part === "string").join("; "));
  return text === "" ? {} : ({ [name]: text } as { [name in Name]: string });
}

function textMessage(text: string): { message?: string } {
  if (!/^\s*<(!doctype|html|head|body|\?xml)/i.test(text)) return optional("message", text);
  return optional("message", /<(title|h1)[^<>]*>([^<]*)</i.exec(text)?.[2]);
}

function printable(text: string): string {
  const line = text
    .slice(0, 4 * maxMessageLength)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  return line.length > maxMessageLength ? `${line.slice(0, maxMessageLength - 1)}…` : line;
}
