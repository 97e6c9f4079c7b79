import { checkOption } from "./option-check.ts";
import { asRawBody, toBytes } from "./raw-body.ts";

/** A text's UTF-8 bytes are the key, whatever it starts with; bytes are the key themselves. */
export type WebhookSecret = string | Uint8Array;

/** One secret, or several while one replaces another. */
export type WebhookSecrets = WebhookSecret | readonly WebhookSecret[];

/** Called for every delivery, for example to read a secret store. */
export type WebhookSecretProvider = () => WebhookSecrets | Promise<WebhookSecrets>;

export const secretVariable = "SETTLEKIT_WEBHOOK_SECRET";

/** The secret in the environment, on platforms that have one. */
export function environmentSecret(): string | undefined {
  return globalThis.process?.env?.[secretVariable];
}

const expected = `text or bytes, and not empty. Without it, set ${secretVariable}`;

/** The keys behind the secrets. Throws a ConfigurationError that does not show them. */
export function secretKeys(secrets: unknown): readonly Uint8Array<ArrayBuffer>[] {
  const list = [secrets].flat();
  checkOption("secret", list.length > 0, expected);
  return list.map(secretKey);
}

export function secretKey(secret: unknown): Uint8Array<ArrayBuffer> {
  const key = asRawBody(secret);
  // With an empty key, anybody could sign.
  checkOption("secret", key !== undefined && key.length > 0, expected);
  // A copy, so that nobody changes the key afterwards. Not by slice: a Buffer's does not copy.
  return new Uint8Array(toBytes(key));
}
