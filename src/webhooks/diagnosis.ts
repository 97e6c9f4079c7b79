import { environmentVariable } from "../values.ts";
import { toBytes } from "./body.ts";
import type { Signed } from "./crypto.ts";
import { secretVariable } from "./options.ts";

/**
 * A possible cause of a signature mismatch, which is confirmed if the signature matches this instead. The delivery is
 * refused all the same.
 */
interface Suspicion extends Signed {
  readonly secret: Uint8Array<ArrayBuffer>;
  /** Fact and cure, for the error's message. Never shows a secret. */
  readonly cause: string;
}

// Anybody can send deliveries that do not match, so the cost of one is bounded: about one millisecond.
const maxBodyLength = 4096;
const maxSecrets = 2;
const maxSecretLength = 1024;

/** The usual causes of a mismatch, in the order in which they are worth trying. */
export function suspicions(
  { prefix, body, signature, timestampMs }: Signed & { readonly timestampMs: number },
  secrets: readonly Uint8Array<ArrayBuffer>[],
): Suspicion[] {
  if (body.length > maxBodyLength) return [];
  const found: Suspicion[] = [];
  const suspect = (matches: string, change: Partial<Suspicion> & Pick<Suspicion, "secret">) =>
    found.push({ prefix, body, signature, cause: `It matches ${matches}`, ...change });
  const text = lenientText(toBytes(body));
  const bodies: [what: string, body: string][] = [
    ...reserialised(text),
    ["with a byte order mark", `\uFEFF${text}`],
    ["without its byte order mark", text.replace("\uFEFF", "")],
    ["with a line break after it", `${text}\n`],
    ["with a line break after it", `${text}\r\n`],
    ["without the white space after it", text.trimEnd()],
  ];
  const prefixes: [what: string, prefix: string][] = [
    ["a timestamp in seconds", `${Math.floor(timestampMs / 1000)}.`],
    ["a timestamp in milliseconds", `${timestampMs}.`],
    ["no timestamp", ""],
  ];
  for (const secret of secrets.slice(0, maxSecrets)) {
    for (const [what, body] of bodies) {
      suspect(`${what}. Hand over the bytes received, not JSON.stringify(request.body).`, {
        secret,
        body,
      });
    }
    for (const [what, prefix] of prefixes) {
      suspect(`with ${what}. Sign the timestamp header's exact text, a dot and the body.`, {
        secret,
        prefix,
      });
    }
    const trimmed = secret.length > maxSecretLength ? "" : withoutQuotes(lenientText(secret));
    if (trimmed) {
      suspect("without the white space or quotes around the secret.", { secret: toBytes(trimmed) });
    }
  }
  const environment = environmentVariable(secretVariable);
  if (environment) {
    const cause = `with ${secretVariable}. The option secret may be another environment's.`;
    suspect(cause, { secret: toBytes(environment) });
  }
  return found;
}

/**
 * JSON as other writers lay it out. Indented forms are left out: the indentation of a deeply nested body
 * grows with the square of its depth.
 */
function reserialised(text: string): [what: string, body: string][] {
  try {
    const compact = JSON.stringify(JSON.parse(text));
    // Puts a space where one may stand outside strings. No text makes it fail after a quote, and start over.
    const spaced = compact.replace(/"(?:[^"\\]|\\.?)*"?|[,:]/gs, (part) =>
      part.length > 1 ? part : `${part} `,
    );
    return [
      ["as compact JSON", compact],
      ["as JSON with spaces", spaced],
    ];
  } catch {
    // Not JSON, or nested too deeply to be written.
    return [];
  }
}

/** As people copy secrets: with a line break, or with the quotes of an .env file. */
function withoutQuotes(text: string): string {
  return text
    .trim()
    .replace(/^["'\s]+/, "")
    .replace(/(?<!["'\s])["'\s]+$/, "");
}

function lenientText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
