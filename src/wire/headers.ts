import type { Credential } from "./operations.ts";

/** The prefix of the service's own headers in the interface document. */
export const defaultHeaderPrefix = "X-Service";

/** Ties every attempt of one creation together (interface section 4.1, rule 3). */
export const idempotencyKeyHeader = "Idempotency-Key";

/** Where the service is assumed to name a request for its support. */
export const defaultRequestIdHeader = "X-Request-Id";

/** The header that carries a credential, and the text before the credential in it. */
export function credentialHeader(
  credential: Credential,
  headerPrefix: string,
): { readonly name: string; readonly scheme: string } {
  switch (credential) {
    case "secretKey":
      return { name: `${headerPrefix}-Secret-Key`, scheme: "" };
    case "paymentSecret":
      return { name: `${headerPrefix}-Payment-Secret`, scheme: "" };
    case "accessToken":
      return { name: "Authorization", scheme: "Bearer " };
  }
}

/** The names of the headers that carry credentials. */
export function credentialHeaderNames(headerPrefix: string): string[] {
  const credentials = ["secretKey", "paymentSecret", "accessToken"] as const;
  return credentials.map((credential) => credentialHeader(credential, headerPrefix).name);
}
