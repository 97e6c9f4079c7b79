import { environmentVariable } from "../values.ts";
import { toBytes } from "./body.ts";
import type { Delivery } from "./delivery.ts";
import { secretVariable } from "./options.ts";

// Anyone can send deliveries that do not match, so diagnosing one is limited to about a millisecond.
const maxBodyLength = 4096;
const maxSecrets = 2;
const maxSecretLength = 1024;

/**
 * The usual causes of a mismatch, most likely first. A cause is confirmed if its change makes the signature match; the
 * delivery is still refused. `cause` states the fact and the cure, and never shows a secret.
 */
export function suspicions(
  { start, body, signature, timestampMs }: Delivery,
  secrets: readonly Uint8Array<ArrayBuffer>[],
) {
  if (body.length > maxBodyLength) return [];
  const text = lenientText(toBytes(body));
  const bodies: [what: string, body: string][] = [
    ...reserialised(text),
    ["with a byte order mark", `\uFEFF${text}`],
    ["without its byte order mark", text.replace("\uFEFF", "")],
    ["with a line break after it", `${text}\n`],
    ["with a line break after it", `${text}\r\n`],
    ["without the white space after it", text.trimEnd()],
  ];
  const starts: [what: string, start: string][] = [
    ["a timestamp in seconds", `${Math.floor(timestampMs / 1000)}.`],
    ["a timestamp in milliseconds", `${timestampMs}.`],
    ["no timestamp", ""],
  ];
  const bodyCure = "Pass the bytes received, not JSON.stringify(request.body).";
  const startCure = "Sign the timestamp header's exact text, a dot and the body.";
  const changes = [
    ...bodies.map(([what, body]) => ({ cause: `${what}. ${bodyCure}`, body })),
    ...starts.map(([what, start]) => ({ cause: `with ${what}. ${startCure}`, start })),
  ];
  const found = secrets.slice(0, maxSecrets).flatMap((secret) => {
    const trimmed = secret.length > maxSecretLength ? "" : withoutQuotes(lenientText(secret));
    const cause = "without the white space or quotes around the secret.";
    return [
      ...changes.map((change) => ({ ...change, secret })),
      { cause, secret: toBytes(trimmed) },
    ];
  });
  const environment = toBytes(environmentVariable(secretVariable) ?? "");
  const cause = `with ${secretVariable}. The secret option may be for another environment.`;
  return [...found, { cause, secret: environment }]
    .filter(({ secret }) => secret.length > 0)
    .map((it) => ({ start, body, signature, ...it, cause: `It matches ${it.cause}` }));
}

/**
 * JSON as other serialisers write it. Indented forms are left out: the indentation of a deeply nested body grows with
 * the square of its depth.
 */
function reserialised(text: string): [what: string, body: string][] {
  try {
    const compact = JSON.stringify(JSON.parse(text));
    // Adds a space after each comma and colon outside strings. The pattern never backtracks past a quote, whatever the
    // text.
    const spaced = compact.replace(/"(?:[^"\\]|\\.?)*"?|[,:]/gs, (part) =>
      part.length > 1 ? part : `${part} `,
    );
    return [
      ["as compact JSON", compact],
      ["as JSON with spaces", spaced],
    ];
  } catch {
    // Not JSON, or nested too deeply to serialise.
    return [];
  }
}

/** Removes what people copy along with a secret: a line break, or the quotes of an .env file. */
function withoutQuotes(text: string): string {
  return text.replace(/^["'\s]+/, "").replace(/(?<!["'\s])["'\s]+$/, "");
}

function lenientText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
