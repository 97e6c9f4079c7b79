import { InvalidRequestError } from "../errors/invalid-request-error.ts";
import { maxAmountInCents } from "../wire/payment-creation.ts";
import type { Schema, SchemaIssue } from "../wire/schema.ts";
import { invalidRequest, type Refusal } from "./refusal.ts";

/** What the schemas' library tells about an issue beyond the part that the wire promises. */
interface IssueDetails extends SchemaIssue {
  readonly code?: string;
  readonly expected?: string;
  readonly values?: readonly unknown[];
  readonly origin?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

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
export function checked(schema: Schema<unknown>, input: Record<string, unknown>): unknown {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const param = String(issue?.path[0] ?? "");
  throw refusalFor(issue ?? { path: [], message: "" }, param, input[param]);
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
export function checkOneOf(param: string, known: readonly unknown[], value: unknown): void {
  if (value === undefined || known.includes(value)) return;
  throw refuseField(422, param, `must be ${known.join(" or ")}, but is ${describe(value)}.`);
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

function refusalFor(issue: IssueDetails, param: string, value: unknown): Refusal {
  const expectation = expected(issue);
  if (value === undefined) return refuseField(400, param, `is missing. It must be ${expectation}.`);
  const status = isIllTyped(issue, value) ? 400 : 422;
  return refuseField(status, param, `must be ${expectation}, but is ${describe(value)}.`);
}

function isIllTyped({ code, expected }: IssueDetails, value: unknown): boolean {
  // Every closed set of values on this wire is one of strings, and every union has a string in it.
  if (code === "invalid_value" || code === "invalid_union") return typeof value !== "string";
  // Infinity, as JSON's 1e999 reads, and fractions are numbers, if not acceptable ones.
  const isNumber = typeof value === "number" && (expected === "number" || expected === "int");
  return code === "invalid_type" && !isNumber;
}

function expected({ code, expected, values, origin, minimum, maximum }: IssueDetails): string {
  const unit = origin === "string" ? " characters long" : "";
  if (code === "invalid_value") {
    return (values ?? []).map((value) => JSON.stringify(value)).join(" or ");
  }
  // The only union of the requests is the chain id.
  if (code === "invalid_union") return 'an EVM chain id: a number, or text such as "eip155:84532"';
  if (code === "too_small") return `at least ${minimum}${unit}`;
  if (code === "too_big") return `at most ${maximum}${unit}`;
  return expected === "int" ? "a whole number" : `a ${expected ?? "valid value"}`;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 40 ? `${text.slice(0, 40)}… (${text.length} characters)` : text;
}
