import type { WebhookVerificationError } from "../errors/webhook-verification-error.ts";
import { mismatch } from "./admission.ts";
import { type Delivery, signedPrefix } from "./delivery.ts";
import { concatenate, toBytes } from "./raw-body.ts";
import { environmentSecret } from "./secret.ts";
import { importWebKey, webHmacMatches } from "./web-crypto.ts";

/**
 * What may have gone wrong with a delivery whose signature does not match. The suspicion holds when
 * the signature matches these parts; the delivery is refused all the same.
 */
interface Suspicion {
  readonly secret: Uint8Array;
  /** What was signed before the body. */
  readonly prefix: string;
  readonly body: Uint8Array;
  /** Fact and cure, for the error's message. Never shows a secret. */
  readonly cause: string;
}

// Anybody can send deliveries that do not match, so what one of them may cost is bounded.
const maxBodyBytes = 16_384;
const maxSecrets = 4;

/** Looks for the cause of a mismatch among the usual ones and words the refusal accordingly. */
export async function explainMismatch(
  delivery: Delivery,
  secrets: readonly Uint8Array[],
): Promise<WebhookVerificationError> {
  const { body, signature } = delivery;
  if (body.length === 0) {
    return mismatch("The body is empty: verify before a body parser or anything else reads it.");
  }
  for (const suspicion of body.length > maxBodyBytes ? [] : suspicions(delivery, secrets)) {
    const key = await importWebKey(suspicion.secret);
    const signed = concatenate([toBytes(suspicion.prefix), suspicion.body]);
    if (await webHmacMatches(key, signature, signed)) return mismatch(suspicion.cause);
  }
  if (typeof body === "string" && body.includes("\uFFFD")) {
    return mismatch("The body was decoded wrongly before: hand over the bytes instead of text.");
  }
  return mismatch();
}

/** The usual causes, in the order in which they are worth trying. */
function* suspicions(
  delivery: Delivery,
  secrets: readonly Uint8Array[],
): Generator<Suspicion, void> {
  const prefix = signedPrefix(delivery);
  const body = toBytes(delivery.body);
  for (const secret of secrets.slice(0, maxSecrets)) {
    for (const [what, text] of otherTexts(lenientText(body))) {
      const cause =
        `The body was changed on its way: ${what} it matches. Hand over the bytes that were ` +
        "received, not JSON.stringify(request.body).";
      yield { secret, prefix, body: toBytes(text), cause };
    }
    for (const [what, otherPrefix] of otherPrefixes(delivery)) {
      const cause =
        `The sender signed ${what}, but has to sign the timestamp header's exact text, a dot and ` +
        "the body.";
      yield { secret, prefix: otherPrefix, body, cause };
    }
    const trimmed = toBytes(lenientText(secret).replace(/^[\s"']+|[\s"']+$/g, ""));
    if (trimmed.length > 0) {
      const cause =
        "It matches without the white space or quotes around the configured secret. Remove them.";
      yield { secret: trimmed, prefix, body, cause };
    }
  }
  const environment = environmentSecret();
  if (environment) {
    const cause =
      "It matches the secret in SETTLEKIT_WEBHOOK_SECRET instead: the option secret holds another " +
      "one, such as another environment's.";
    yield { secret: toBytes(environment), prefix, body, cause };
  }
}

/** How else the body may have looked when it was signed. */
function otherTexts(text: string): [what: string, text: string][] {
  return [
    ...reserialised(text),
    ["with a byte order mark", `\uFEFF${text}`],
    ["without the byte order mark", text.replace("\uFEFF", "")],
    ["with a line break at its end", `${text}\n`],
    ["with a line break at its end", `${text}\r\n`],
    ["without the white space at its end", text.trimEnd()],
  ];
}

function reserialised(text: string): [what: string, text: string][] {
  try {
    const value: unknown = JSON.parse(text);
    const pretty = (indent: number) => JSON.stringify(value, null, indent);
    const onOneLine = pretty(1).replace(/,\n */g, ", ").replace(/\n */g, "");
    return [
      ["as compact JSON", pretty(0)],
      ["as JSON on one line with spaces", onOneLine],
      ["as JSON indented by 2", pretty(2)],
      ["as JSON indented by 4", pretty(4)],
    ];
  } catch {
    // Not JSON, or nested too deeply to be written.
    return [];
  }
}

function otherPrefixes({ timestampMs }: Delivery): [what: string, prefix: string][] {
  return [
    ["a timestamp in seconds", `${Math.floor(timestampMs / 1000)}.`],
    ["a timestamp in milliseconds", `${timestampMs}.`],
    ["the body alone", ""],
  ];
}

function lenientText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
