import { ConfigurationError, InvalidRequestError } from "../errors.ts";
import { toCaip2 } from "../evm/chains.ts";
import { type CredentialSource, callOptions, type HttpSettings } from "../http/settings.ts";

import { checkCredential } from "../wire/credential.ts";
import { maxAmountInCents } from "../wire/payment.ts";

/** A JSON object, or the JSON text of one. */
export type Metadata = string | Readonly<Record<string, unknown>>;

export function checkObject<T extends object>(input: T): T {
  if (typeof input !== "object" || input === null) {
    throw refused("parameters", "must be an object", input);
  }
  // Left out in silence, it would be a call without it: with a random key in place of the caller's.
  const given = Object.entries(input).find(
    ([name, value]) => value !== undefined && callOptions.has(name),
  );
  if (given === undefined) return input;
  const [option] = given;
  throw new InvalidRequestError(
    `${option} must be in the call's last argument: it is an option, not a parameter.`,
    { code: "invalid_request", param: option },
  );
}

export function checkAmount(param: string, value: unknown): number {
  if (Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= maxAmountInCents) {
    return Number(value);
  }
  throw new InvalidRequestError(
    `${param} must be a whole number of USD cents from 1 to ${maxAmountInCents}, got ${show(value)}. ` +
      '25 dollars are 2500; usdToCents("25.00") converts exactly.',
    { code: "invalid_amount", param },
  );
}

export function checkCurrency(value: unknown): "USD" {
  if (value === undefined || value === "USD") return "USD";
  throw refused("currency", 'must be "USD", the only one there is', value);
}

/** @param maxLength In characters, where the service documents it. */
export function checkReference(param: string, value: unknown, maxLength?: number): string {
  const text = checkText(param, "your own reference", value);
  if (maxLength === undefined || text.length <= maxLength) return text;
  throw tooLong(param, `must be at most ${maxLength} characters long`, text);
}

export function checkText(param: string, what: string, value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  throw refused(param, `must be ${what}, a non-empty string`, value);
}

/** Metadata as the text that is sent. */
export function encodeMetadata(value: unknown, maxLength?: number): string {
  const text = metadataText(value);
  if (maxLength === undefined || text.length <= maxLength) return text;
  throw tooLong("customMetadata", `must be at most ${maxLength} characters of JSON`, text);
}

function metadataText(value: unknown): string {
  const param = "customMetadata";
  if (typeof value === "string") {
    try {
      JSON.parse(value);
      return value;
    } catch {
      throw refused(param, "is a string, so it must be a JSON document", value);
    }
  }
  // JSON would make an empty object of a Map, and no object at all of an array.
  if (typeof value !== "object" || value === null || Symbol.iterator in value) {
    throw refused(param, "must be a plain object or a JSON document as a string", value);
  }
  try {
    const text: string | undefined = JSON.stringify(value);
    if (text !== undefined) return text;
  } catch {
    // Named below.
  }
  throw refused(param, "must be what JSON can hold, without cycles and bigints", value);
}

/** A chain id in the form that the client is set to send. */
export function chainIdOnWire(
  chainId: unknown,
  { chainIdFormat }: HttpSettings["wire"],
): number | string {
  if (!Number.isSafeInteger(chainId) || Number(chainId) <= 0) {
    throw refused("chainId", "must be the number of an EVM chain, such as 8453", chainId);
  }
  return chainIdFormat === "caip2" ? toCaip2(Number(chainId)) : Number(chainId);
}

export function refused(param: string, rule: string, value: unknown): InvalidRequestError {
  return new InvalidRequestError(`${param} ${rule}, got ${show(value)}.`, {
    code: "invalid_request",
    param,
  });
}

function tooLong(param: string, rule: string, { length }: string): InvalidRequestError {
  return new InvalidRequestError(`${param} ${rule}, but has ${length}. Shorten it.`, {
    code: "invalid_request",
    param,
  });
}

/** A value short enough for a message. */
function show(value: unknown): string {
  if (typeof value === "string") {
    return value === "" ? "an empty string" : JSON.stringify(value.slice(0, 60));
  }
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

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
