import { invalidOption } from "../values.ts";
import type { Credential } from "./operation.ts";

/** An environment of the service. Each has its own keys. */
export type Environment = "production" | "testnet" | "sandbox";

/** The default port of a sandbox. */
export const defaultSandboxPort = 4010;

/** The sandbox URL that clients use by default. */
export const defaultSandboxUrl = `http://127.0.0.1:${defaultSandboxPort}`;

/** Printable ASCII without spaces, which every header carries unchanged. */
export function isVisibleAscii(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** Refuses a credential that cannot be valid, without showing it: the platform's own header error would print it. */
export function checkCredential(param: string, value: unknown, name = param): string {
  if (typeof value !== "string" || value === "") {
    const message = `${name} must be a non-empty string, got ${describe(value)}.`;
    throw invalidOption(param, message, "missing_credential");
  }
  // Some .env parsers leave quotation marks in place.
  if (!isVisibleAscii(value) || /^["']|["']$/.test(value)) {
    throw invalidOption(
      param,
      `${name} contains a character that no credential has: a space, a line break, a surrounding quotation mark or a ` +
        "non-ASCII character. It was probably copied along with the credential; copy it again.",
      "malformed_credential",
    );
  }
  return value;
}

/**
 * Checks a key against the environment: test keys start with `sk_test_`, production keys with `sk_` alone (published).
 *
 * @param name The option or environment variable that it came from.
 */
export function checkSecretKey(
  value: unknown,
  environment: Environment,
  name = "secretKey",
): string {
  const key = checkCredential("secretKey", value, name);
  const isTestKey = key.startsWith("sk_test_");
  if (environment === "production" && isTestKey) {
    throw invalidOption(
      "secretKey",
      `${name} is a test key, but the environment is "production". Use the production key, or set ` +
        'environment to "testnet" or "sandbox".',
      "test_key_in_production",
    );
  }
  if (environment !== "production" && key.startsWith("sk_") && !isTestKey) {
    throw invalidOption(
      "secretKey",
      `${name} is a production key, but the environment is "${environment}". Use a key that starts ` +
        "with sk_test_; a production key belongs on production servers only.",
      "production_key_in_test",
    );
  }
  return key;
}

function describe(value: unknown): string {
  if (value === "") return "an empty string";
  return value === undefined || value === null ? String(value) : `a value of type ${typeof value}`;
}

/** The prefix of the service's own headers in the interface document. */
export const defaultHeaderPrefix = "X-Service";

/** Identifies all attempts of one creation (interface section 4.1, rule 3). */
export const idempotencyKeyHeader = "Idempotency-Key";

/** The assumed response header with the request's id, for the service's support. */
export const defaultRequestIdHeader = "X-Request-Id";

/** The header that carries a credential, and the scheme before it; `undefined` for public operations. */
export function credentialHeader<Name extends Credential | "none">(
  name: Name,
  headerPrefix: string,
) {
  const headers = {
    secretKey: { name: `${headerPrefix}-Secret-Key`, scheme: "" },
    paymentSecret: { name: `${headerPrefix}-Payment-Secret`, scheme: "" },
    accessToken: { name: "Authorization", scheme: "Bearer " },
    none: undefined,
  };
  return headers[name];
}

export function credentialHeaderNames(headerPrefix: string): string[] {
  const credentials = ["secretKey", "paymentSecret", "accessToken"] as const;
  return credentials.map((credential) => credentialHeader(credential, headerPrefix).name);
}
