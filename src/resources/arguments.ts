import { toChecksumAddress } from "../evm/address.ts";
import { toCaip2 } from "../evm/chains.ts";
import { type CredentialSource, callSchema, type HttpSettings } from "../http/settings.ts";
import { invalidArgument, invalidOption, isRecord, jsonText, nearest, show } from "../values.ts";
import { checkCredential } from "../wire/credential.ts";
import { type Caip2, chainIdSchema } from "../wire/fields.ts";
import { isRedirectUrl, maxAmountInCents, redirectUrlRule } from "../wire/payment.ts";

/**
 * A JSON object, or any text. The object may have the type of an interface, but arrays, functions, Maps, dates and
 * promises do not compile.
 */
export type Metadata =
  | string
  | Readonly<Record<string, unknown>>
  | (object & {
      readonly [Symbol.iterator]?: never;
      readonly [Symbol.hasInstance]?: never;
      readonly [Symbol.toPrimitive]?: never;
      readonly [Symbol.toStringTag]?: never;
    });

/** A bearer token, or a function that returns one. The function runs for every call, and once more after a 401. */
export type AccessToken = string | (() => string | Promise<string>);

/** The parameter names of an input, for example its schema's shape. The compiler reports a missing one. */
export type Names<Input> = Readonly<Record<Input extends unknown ? keyof Input : never, unknown>>;

/** Names that are easily confused. */
const aliases: ReadonlyMap<string, readonly string[]> = new Map([
  ["metadata", ["customMetadata"]],
  ["amount", ["amountInCents", "forceDepositAmount"]],
  ["amountInCents", ["amount", "forceDepositAmount"]],
  ["amountCents", ["amountInCents", "amount"]],
  ["address", ["recipientAddress"]],
  ["returnUrl", ["redirectUrl"]],
]);

/** Refuses unknown parameters. Silently dropping one would make a different call from the one intended. */
export function checkParameters<Input extends object>(
  input: Input,
  names: Names<Input>,
  what = "parameters",
): Input {
  if (!isRecord(input)) {
    throw invalidArgument(what, `The ${what} must be an object, got ${show(input)}.`);
  }
  const known = Object.keys(names);
  const name = Object.keys(input).find((it) => input[it] !== undefined && !known.includes(it));
  if (name === undefined) return input;
  const meant = aliases.get(name)?.find((other) => known.includes(other)) ?? nearest(name, known);
  const cure =
    meant === undefined ? `The parameters are: ${known.join(", ")}.` : `Did you mean ${meant}?`;
  const isOption = [...Object.keys(callSchema.shape), "prefetch", "createdAfter"].includes(name);
  const message = isOption
    ? `${name} must be in the call's last argument: it is an option, not a parameter.`
    : `There is no parameter ${show(name)}. ${cure}`;
  throw invalidArgument(name, message);
}

/** Checks an optional parameter. JSON leaves out an undefined one. */
export function ifGiven<Value, Checked>(
  value: Value | undefined,
  check: (value: Value) => Checked,
): Checked | undefined {
  return value === undefined ? undefined : check(value);
}

/** @param ifMissing What a caller who left it out may have meant. */
export function checkAmount(param: string, value: unknown, ifMissing = ""): number {
  if (Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= maxAmountInCents) {
    return Number(value);
  }
  const rule = `must be a whole number of USD cents from 1 to ${maxAmountInCents}`;
  const cure = '25 dollars are 2500; usdToCents("25.00") converts exactly.';
  throw refused(param, rule, value, value === undefined ? ifMissing : cure, "invalid_amount");
}

export function checkCurrency(value: unknown): "USD" {
  if (value === undefined || value === "USD") return "USD";
  throw refused("currency", 'must be "USD", the only currency', value);
}

/** @param maxLength In characters, where the service documents it. */
export function checkReference(param: string, value: unknown, maxLength?: number): string {
  return checkLength(param, "long", checkText(param, "your own reference", value), maxLength);
}

export function checkText(param: string, what: string, value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  throw refused(param, `must be ${what}, a non-empty string`, value);
}

/** Metadata as it is sent: text unchanged, objects as JSON. */
export function encodeMetadata(value: unknown, maxLength?: number): string {
  // JSON turns a Map or a promise into an empty object, and a date into text.
  const isObject = isRecord(value) && !(Symbol.iterator in value) && !(Symbol.toStringTag in value);
  const json = isObject ? jsonText(value) : undefined;
  const text = json?.startsWith("{") ? json : value;
  if (typeof text === "string") return checkLength("customMetadata", "as text", text, maxLength);
  const rule = "must be a string, or a plain object that JSON can hold: without cycles or bigints";
  throw refused("customMetadata", rule, value);
}

/** A chain id in the form that the client is configured to send. Non-EVM chains always use CAIP-2 text. */
export function chainIdOnWire(chainId: unknown, wire: HttpSettings["wire"]): number | string {
  const { data = chainId } = chainIdSchema.safeParse(chainId);
  return isNonEvmChain(data) ? data : evmChainIdOnWire(data, wire);
}

/** Whether it is the id of a non-EVM chain. */
function isNonEvmChain(chainId: unknown): chainId is Caip2 {
  return typeof chainIdSchema.safeParse(chainId).data === "string";
}

/** An EVM chain id in the form that the client is configured to send. */
export function evmChainIdOnWire(
  chainId: unknown,
  { chainIdFormat }: HttpSettings["wire"],
): number | string {
  if (isNonEvmChain(chainId)) {
    throw refused("chainId", "must be an EVM chain", chainId, "Withdrawals go to EVM chains only.");
  }
  if (!Number.isSafeInteger(chainId) || Number(chainId) <= 0) {
    throw refused("chainId", "must be the number of an EVM chain, such as 8453", chainId);
  }
  return chainIdFormat === "caip2" ? toCaip2(Number(chainId)) : Number(chainId);
}

/** A token's contract: an address on EVM chains, and any text on others. */
export function checkContract(param: string, value: string, chainId: unknown): string {
  return isNonEvmChain(chainId)
    ? checkText(param, "the token's contract", value)
    : toChecksumAddress(value, param);
}

/** A read of the object with this id. The response must be about that object. */
export function objectAt(path: Readonly<Record<string, string>>) {
  const [asked = ""] = Object.values(path);
  return { path, differing: ({ id }: { readonly id: string }) => otherId(asked, id) };
}

/** The name of the field if its id differs from the one requested, ignoring case: a service may change it. */
export function otherId(asked: string, received: unknown, field = "id"): readonly string[] {
  if (!isComparable(received)) return [];
  return String(received).toLowerCase() === asked.toLowerCase() ? [] : [field];
}

/** The same for a chain id, which responses have as a number, or as CAIP-2 text for a non-EVM chain. */
export function otherChain(asked: string | number, received: unknown): readonly string[] {
  return otherId(String(asked).replace("eip155:", ""), received, "chainId");
}

/** Whether a response field has a value that can be compared. */
export function isComparable(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

/** Checks a URL that the customer is sent to. */
export function checkRedirectUrl(param: string, value: unknown): string {
  if (isRedirectUrl(value)) return value;
  throw refused(param, redirectUrlRule, value);
}

/** @param cure A sentence. */
export function refused(param: string, rule: string, value: unknown, cure = "", code?: string) {
  const fact = value === undefined ? `is missing. It ${rule}` : `${rule}, got ${show(value)}`;
  return invalidArgument(param, `${param} ${fact}. ${cure}`.trimEnd(), code);
}

function checkLength(param: string, how: string, text: string, maxLength?: number): string {
  if (maxLength === undefined || text.length <= maxLength) return text;
  const rule = `must be at most ${maxLength} characters ${how}`;
  throw invalidArgument(param, `${param} ${rule}, but has ${text.length}. Shorten it.`);
}

/**
 * The payment secret as a credential.
 *
 * @throws {ConfigurationError} when it cannot be one, especially when it is a merchant secret key.
 */
export function paymentSecret(secret: string): CredentialSource {
  const checked = checkCredential("secret", secret);
  if (checked.startsWith("sk_")) {
    throw invalidOption(
      "secret",
      "secret is a merchant secret key. It must never reach a customer: pass the secret that payments.create " +
        "returned, and revoke this key if it was published.",
      "secret_key_as_payment_secret",
    );
  }
  return { param: "secret", value: checked };
}

/** @throws {ConfigurationError} when it cannot be a token. */
export function bearerToken(accessToken: AccessToken): CredentialSource {
  const param = "accessToken";
  const check = (value: unknown) => {
    if (typeof value !== "string" || !/^bearer\s/i.test(value))
      return checkCredential(param, value);
    throw invalidOption(
      param,
      'accessToken begins with "Bearer", which settlekit adds itself. Pass only the token.',
      "malformed_credential",
    );
  };
  if (typeof accessToken !== "function") return { param, value: check(accessToken) };
  return { param, value: async () => check(await accessToken()) };
}

/** @throws {ConfigurationError} when it cannot be an id. */
export function checkId(param: string, value: unknown, origin: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw invalidOption(param, `${param} must be ${origin}, a non-empty string.`);
}
