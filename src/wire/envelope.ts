import { isRecord } from "../values.ts";

/** The content of an error response, in any of its forms (interface section 7). */
export interface ErrorFacts {
  readonly type?: string;
  readonly code?: string;
  readonly message?: string;
  readonly param?: string;
  /** The request's id at the service; some descriptions have it in the body. */
  readonly requestId?: string;
  /** The parsed body, or its text if it is not JSON. */
  readonly body: unknown;
}

const maxMessageLength = 500;
/** How much of a text is searched for a message. */
const maxSearchedLength = 4 * maxMessageLength;

/**
 * Reads the body of an error response. Accepts the documented envelope, a flat `{ code, message }`, the `{ statusCode,
 * message, error }` of a common framework, and a proxy's text, HTML or empty body. Never throws.
 *
 * @param redact Removes credentials from a text. Applied before truncation: even half a key is a leak.
 */
export function readErrorBody(
  text: string,
  redact: (text: string) => string = (it) => it,
): ErrorFacts & {
  /** Whether the body has one of the service's forms, unlike a proxy's page. */
  readonly isKnownForm: boolean;
} {
  const body = parseRedacted(text, redact);
  if (!isRecord(body)) {
    const message = typeof body === "string" ? textMessage(body) : {};
    return { ...message, body, isKnownForm: false };
  }
  const source = isRecord(body.error) ? body.error : body;
  return {
    ...optional("type", source.type),
    ...optional("code", source.code),
    ...optional("message", source.message ?? body.message ?? body.error),
    ...optional("param", source.param),
    ...optional("requestId", source.requestId ?? body.requestId),
    body,
    isKnownForm: hasKnownForm(body),
  };
}

function hasKnownForm({ error, code, message, statusCode }: Record<string, unknown>): boolean {
  if (isRecord(error)) return isName(error.code) || isName(error.type);
  const hasMessage = typeof message === "string" || Array.isArray(message);
  return hasMessage && (isName(code) || Number.isInteger(statusCode));
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

const codes: Readonly<Record<number, string>> = {
  400: "invalid_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  409: "idempotency_conflict",
  422: "validation_error",
  429: "rate_limited",
};

/** The code that the document's overview assigns to a status, for responses without one. */
export function codeForStatus(status: number): string {
  return codes[status] ?? (status >= 500 ? "server_error" : `http_${status}`);
}

/** Removes credentials from every name and text, after unescaping. */
function parseRedacted(text: string, redact: (text: string) => string): unknown {
  try {
    return JSON.parse(text, (_, value: unknown) => {
      if (typeof value === "string") return redact(value);
      if (!isRecord(value)) return value;
      return Object.fromEntries(Object.entries(value).map(([name, it]) => [redact(name), it]));
    });
  } catch {
    // Not JSON, or nested deeper than the stack allows.
    return redact(text);
  }
}

/** A field as printable text, omitted if there is nothing to print. */
function optional<Name extends string>(name: Name, value: unknown): { [name in Name]?: string } {
  const parts = Array.isArray(value) ? value : [value];
  const text = printable(parts.filter((part) => typeof part === "string").join("; "));
  return text === "" ? {} : ({ [name]: text } as { [name in Name]: string });
}

function textMessage(text: string): { message?: string } {
  const start = text.slice(0, maxSearchedLength);
  if (!/^\s*<(!doctype|html|head|body|\?xml)/i.test(start)) return optional("message", start);
  return optional("message", /<(title|h1)[^<>]*>([^<]*)</i.exec(start)?.[2]);
}

function printable(text: string): string {
  const line = text
    .slice(0, maxSearchedLength)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  return line.length > maxMessageLength ? `${line.slice(0, maxMessageLength - 1)}…` : line;
}
