import { InvalidRequestError } from "../../errors.ts";
import { misfitsIn } from "../../wire/misfits.ts";
import { maxAmountInCents } from "../../wire/payment.ts";
import { type Form, isRecord, misfit, type Schema } from "../../wire/schema.ts";
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
  const value = schema.read(input);
  if (value !== misfit) return value;
  const [first] = misfitsIn(schema, input);
  const param = String(first?.path[0] ?? "");
  throw refusalFor(first?.schema ?? schema, param, input[param]);
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

/**
 * Takes the values that a schema names for the only ones: it leaves them open to clients, but nothing else can be
 * meant here.
 *
 * @throws {Refusal} 422 for another one.
 */
export function checkKnownValues({ form }: Schema<unknown>, values: unknown): void {
  if (form.kind !== "object" || !isRecord(values)) return;
  for (const { name, schema } of form.fields) {
    const { examples } = schema.form.kind === "value" ? schema.form.json : {};
    if (examples !== undefined) checkOneOf(name, examples, values[name]);
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

function refusalFor({ form }: Schema<unknown>, param: string, value: unknown): Refusal {
  const expectation = expected(form, value);
  if (value === undefined) return refuseField(400, param, `is missing. It must be ${expectation}.`);
  const status = typeof value === typeOf(form) ? 422 : 400;
  return refuseField(status, param, `must be ${expectation}, but is ${describe(value)}.`);
}

/** Infinity, as JSON's 1e999 reads, and fractions are numbers, if not acceptable ones. */
function typeOf(form: Form): string | undefined {
  if (form.kind !== "value") return "string";
  return form.json.type === "integer" ? "number" : form.json.type;
}

function expected(form: Form, value: unknown): string {
  // The requests hold single values, and one choice, which is the chain id.
  if (form.kind !== "value") return 'an EVM chain id: a number, or text such as "eip155:84532"';
  const { json } = form;
  const { type, minimum = 0, maximum, minLength = 0, maxLength } = json;
  const known = json.const === undefined ? json.enum : [json.const];
  if (known) return known.map((text) => JSON.stringify(text)).join(" or ");
  if (value === "" && minLength === 1) return "text that is not empty";
  if (type === "string" && typeof value === "string") {
    const bound = value.length < minLength ? `at least ${minLength}` : `at most ${maxLength}`;
    return `${bound} characters long`;
  }
  if (type === "integer" && Number.isInteger(value)) {
    return Number(value) < minimum ? `at least ${minimum}` : `at most ${maximum}`;
  }
  return type === "integer" ? "a whole number" : `a ${type}`;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  // Not as JSON: 1e999 in a body reads as Infinity, which JSON writes as null.
  const text = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 40 ? `${text.slice(0, 40)}… (${text.length} characters)` : text;
}
