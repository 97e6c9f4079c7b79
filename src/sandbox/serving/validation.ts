import type * as z from "zod/mini";
import { InvalidRequestError } from "../../errors.ts";
import { knownValues, type Schema } from "../../wire/fields.ts";
import { maxAmountInCents } from "../../wire/payment.ts";
import { invalidRequest, type Refusal } from "./refusal.ts";

/** The fields whose errors carry the code `invalid_amount` (interface section 7, rule 1). */
const amountFields: ReadonlySet<string> = new Set([
  "amount",
  "amountInCents",
  "forceDepositAmount",
]);

/**
 * The input as its schema reads it.
 *
 * @throws {Refusal} 400 when a field is missing or of the wrong type, 422 when its value is one that
 * is not accepted (assumed from the meanings in interface section 7).
 */
export function checked<T>(schema: Schema<T>, input: Record<string, unknown>): T {
  const { success, data, error } = schema.safeParse(input);
  if (success) return data;
  const [issue] = error.issues;
  const param = String(issue?.path[0] ?? "");
  throw refusalFor(issue as z.core.$ZodIssue, param, input[param]);
}

/** A refusal of one field's value. */
export function refuseField(status: 400 | 422, param: string, problem: string): Refusal {
  return invalidRequest(status, {
    code: codeFor(status, param),
    param,
    message: `${param} ${problem}`,
  });
}

function codeFor(status: 400 | 422, param: string): string {
  if (amountFields.has(param)) return "invalid_amount";
  return param === "chainId" && status === 422 ? "unsupported_chain" : "invalid_request";
}

/** @throws {Refusal} 422 for an amount that is no whole number of cents or out of range. */
export function checkAmount(param: string, amount: number, minInCents: number): void {
  if (!Number.isInteger(amount)) {
    throw refuseField(422, param, "must be a whole number of USD cents.");
  }
  if (amount < minInCents || amount > maxAmountInCents) {
    const range = `from ${minInCents} to ${maxAmountInCents}`;
    throw refuseField(422, param, `must be ${range} USD cents, but is ${amount}.`);
  }
}

/** @throws {Refusal} 422 for a value that is not among those that are known. */
export function checkOneOf(
  param: string,
  known: readonly unknown[] | undefined,
  value: unknown,
): void {
  if (value === undefined || known === undefined || known.includes(value)) return;
  throw refuseField(422, param, `must be ${known.join(" or ")}, but is ${describe(value)}.`);
}

/**
 * Takes the values that a schema names for the only ones: it leaves them open to clients, but nothing else can be
 * meant here.
 *
 * @throws {Refusal} 422 for another one.
 */
export function checkKnownValues(
  { shape }: z.ZodMiniObject,
  values: Readonly<Record<string, unknown>>,
): void {
  for (const [name, schema] of Object.entries(shape)) {
    checkOneOf(name, knownValues(schema), values[name]);
  }
}

/** @throws {Refusal} 422 for text that is no JSON. */
export function checkMetadata(customMetadata: string | undefined): void {
  if (customMetadata === undefined) return;
  try {
    JSON.parse(customMetadata);
  } catch {
    throw refuseField(422, "customMetadata", "must be a JSON document encoded as a string.");
  }
}

/**
 * Has a value checked as the SDK itself checks it, and answers for it.
 *
 * @throws {Refusal} 422 with the code and the param of the check's `InvalidRequestError`.
 */
export function checkBy(check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (!InvalidRequestError.is(error)) throw error;
    const { code, message, param = "" } = error;
    throw invalidRequest(422, { code, message, param });
  }
}

function refusalFor(issue: z.core.$ZodIssue, param: string, value: unknown): Refusal {
  const expectation = expected(issue, value);
  if (value === undefined) return refuseField(400, param, `is missing. It must be ${expectation}.`);
  const status = isOfRightType(issue, value) ? 422 : 400;
  return refuseField(status, param, `must be ${expectation}, but is ${describe(value)}.`);
}

/** Infinity, as JSON's 1e999 reads, and fractions are numbers, if not acceptable ones. */
function isOfRightType(issue: z.core.$ZodIssue, value: unknown): boolean {
  switch (issue.code) {
    case "invalid_type":
      return /^(number|int)$/.test(issue.expected) && typeof value === "number";
    case "invalid_union":
    case "invalid_value":
      return typeof value === "string";
    default:
      return true;
  }
}

function expected(issue: z.core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.expected === "int" ? "a whole number" : `a ${issue.expected}`;
    case "invalid_value":
      return issue.values.map((known) => JSON.stringify(known)).join(" or ");
    case "too_small":
      if (value === "") return "text that is not empty";
      return `at least ${issue.minimum}${typeof value === "string" ? " characters long" : ""}`;
    case "too_big":
      return `at most ${issue.maximum}${typeof value === "string" ? " characters long" : ""}`;
    default:
      // The requests hold single values, and one choice, which is the chain id.
      return 'an EVM chain id: a number, or text such as "eip155:84532"';
  }
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  // Not as JSON: 1e999 in a body reads as Infinity, which JSON writes as null.
  const text = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 40 ? `${text.slice(0, 40)}… (${text.length} characters)` : text;
}
