import { environmentVariable } from "../values.ts";
import { encoder, toBytes } from "./body.ts";
import type { Delivery } from "./headers.ts";
import { secretVariable } from "./options.ts";

// Anyone can send deliveries that do not match, so diagnosing one is limited to about a millisecond.
const maxBodyLength = 4096;
const maxSecrets = 2;
const maxSecretLength = 1024;

/**
 * Changes that could explain a mismatch: white space before JSON, which may be equal without it. If one makes the
 * signature match, its `cause` is reported, the fact and the cure without secrets. The delivery is still refused.
 */
export function suspicions(
  { start, body, signature, timestampMs }: Delivery,
  secrets: readonly Uint8Array<ArrayBuffer>[],
) {
  if (body.length > maxBodyLength) return [];
  const text = lenientText(toBytes(body));
  const compact = compactJson(text);
  const bodyCure = "Pass the bytes received, not JSON.stringify(request.body).";
  const startCure = "Sign the timestamp header's exact text, a dot and the body.";
  const seconds = Math.floor(timestampMs / 1000);
  const changes = [
    { body: `\uFEFF${text}`, cause: `with a byte order mark. ${bodyCure}` },
    { body: text.replace("\uFEFF", ""), cause: `without its byte order mark. ${bodyCure}` },
    { body: `${text}\n`, cause: `with a line break after it. ${bodyCure}` },
    { body: `${text}\r\n`, cause: `with a line break after it. ${bodyCure}` },
    { body: text.trimEnd(), cause: `without the white space after it. ${bodyCure}` },
    { body: compact, cause: `as compact JSON. ${bodyCure}` },
    { body: withSpaces(compact), cause: `as JSON with spaces. ${bodyCure}` },
    { start: `${seconds}.`, cause: `with a timestamp in seconds. ${startCure}` },
    { start: `${timestampMs}.`, cause: `with a timestamp in milliseconds. ${startCure}` },
    { start: "", cause: `with no timestamp. ${startCure}` },
  ];
  const tried = secrets.slice(0, maxSecrets);
  return [
    ...tried.flatMap((secret) => changes.map((change) => ({ ...change, secret }))),
    ...tried.map((secret) => ({
      secret: withoutQuotes(secret),
      cause: "without the white space or quotes around the secret.",
    })),
    {
      secret: encoder.encode(environmentVariable(secretVariable) ?? ""),
      cause: `with ${secretVariable}. The secret option may be for another environment.`,
    },
  ]
    .filter(({ secret }) => secret.length > 0)
    .map((it) => ({ start, body, signature, ...it, cause: `It matches ${it.cause}` }));
}

/**
 * JSON without white space; other text as it is. No indented form is tried: the indentation of a deeply nested body
 * grows with the square of its depth.
 */
function compactJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    // Not JSON, or nested too deeply to serialise.
    return text;
  }
}

/**
 * Adds a space after each comma and colon outside strings, as some serialisers do. The pattern never backtracks past a
 * quote, whatever the text.
 */
function withSpaces(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.?)*"?|[,:]/gs, (part) =>
    part.length > 1 ? part : `${part} `,
  );
}

/** Removes what people copy along with a secret: a line break, or the quotes of an .env file. */
function withoutQuotes(secret: Uint8Array): Uint8Array<ArrayBuffer> {
  const text = secret.length > maxSecretLength ? "" : lenientText(secret);
  return encoder.encode(text.replace(/^["'\s]+/, "").replace(/(?<!["'\s])["'\s]+$/, ""));
}

function lenientText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
