import { ConfigurationError } from "../errors.ts";
import type { CredentialSource } from "../http/settings.ts";
import { checkCredential } from "../wire/credential.ts";

/** A bearer token, or a function that gives it: asked for every call, and once more after a 401. */
export type AccessToken = string | (() => string | Promise<string>);

/**
 * The payment secret as a credential.
 *
 * @throws {ConfigurationError} for what cannot be one; a merchant secret key above all.
 */
export function paymentSecret(secret: string): CredentialSource {
  const checked = checkCredential("secret", secret);
  if (checked.startsWith("sk_")) {
    throw new ConfigurationError(
      "secret is a merchant secret key. It must never reach a customer: pass the secret that creating " +
        "the payment gave, and revoke this key if it was in a page.",
      { code: "secret_key_as_payment_secret", param: "secret" },
    );
  }
  return { param: "secret", renewable: false, get: () => checked };
}

/** @throws {ConfigurationError} for what cannot be a token. */
export function bearerToken(accessToken: AccessToken): CredentialSource {
  const source = { param: "accessToken", renewable: typeof accessToken === "function" };
  if (typeof accessToken === "function") {
    return { ...source, get: async () => checkCredential("accessToken", await accessToken()) };
  }
  const checked = checkCredential("accessToken", accessToken);
  return { ...source, get: () => checked };
}
