import type * as z from "zod/mini";
import { isRecord, parsedJson, show } from "../../values.ts";
import { knownValues, type Schema } from "../../wire/fields.ts";
import type { Operation } from "../../wire/operation.ts";
import { maxAmountInCents } from "../../wire/payment.ts";
import { Refusal } from "./answers.ts";

/** The fields whose errors carry the code `invalid_amount` (interface section 7, rule 1). */
const amountFields: readonly string[] = ["amount", "amountInCents", "forceDepositAmount"];
/** The query parameters that are numbers, in any operation; all others are text. */
const numericParameters: readonly string[] = ["limit", "offset", "chainId"];

/**
 * Returns the input as parsed by the schema.
 *
 * @throws {Refusal} 400 when a field is missing or has the wrong type, 422 when its value is not accepted (assumed from
 * the meanings in interface section 7).
 */
export function checked<T>(schema: Schema<T>, input: Record<string, unknown>): T {
  const { success, data, error } = schema.safeParse(input);
  if (success) return data;
  const issue = error.issues[0] as z.core.$ZodIssue;
  const param = String(issue.path[0]);
  const value = input[param];
  const [rule, isOfRightType] = ruleFor(issue, value);
  if (value === undefined) throw refuseField(400, param, `is missing. It must be ${rule}.`);
  const status = isOfRightType ? 422 : 400;
  throw refuseField(status, param, `must be ${rule}, but is ${show(value)}.`);
}

/** What a field must be, and whether its value has at least the right type. */
function ruleFor(issue: z.core.$ZodIssue, value: unknown): [rule: string, isOfRightType: boolean] {
  const isText = typeof value === "string";
  const unit = isText ? " characters long" : "";
  switch (issue.code) {
    case "invalid_type": {
      const rule = issue.expected === "int" ? "a whole number" : `a ${issue.expected}`;
      // Infinity (JSON's 1e999) and fractions count as numbers, although they are not accepted.
      return [rule, typeof value === "number" && /^(number|int)$/.test(issue.expected)];
    }
    case "invalid_value":
      return [issue.values.map(show).join(" or "), isText];
    case "too_small":
      return [value === "" ? "a non-empty string" : `at least ${issue.minimum}${unit}`, true];
    case "too_big":
      return [`at most ${issue.maximum}${unit}`, true];
    default:
      // The chain id is the only union in requests.
      return ['an EVM chain id: a number, or a string such as "eip155:84532"', isText];
  }
}

export function refuseField(status: 400 | 422, param: string, problem: string): Refusal {
  const usual = param === "chainId" && status === 422 ? "unsupported_chain" : "invalid_request";
  const code = amountFields.includes(param) ? "invalid_amount" : usual;
  return new Refusal(status, { code, param, message: `${param} ${problem}` });
}

/** @throws {Refusal} 400 for a missing amount, 422 for one that is out of range or not a whole number of cents. */
export function checkedAmount(
  param: string,
  amount: number | undefined,
  minInCents: number,
): number {
  if (amount === undefined) {
    throw refuseField(400, param, "is missing. It must be a number of USD cents.");
  }
  if (!Number.isInteger(amount)) {
    throw refuseField(422, param, "must be a whole number of USD cents.");
  }
  if (amount < minInCents || amount > maxAmountInCents) {
    const range = `from ${minInCents} to ${maxAmountInCents}`;
    throw refuseField(422, param, `must be ${range} USD cents, but is ${amount}.`);
  }
  return amount;
}

/** @throws {Refusal} 422 for an unknown value. */
export function checkOneOf(
  param: string,
  known: readonly unknown[] | undefined,
  value: unknown,
): void {
  if (value === undefined || known === undefined || known.includes(value)) return;
  throw refuseField(422, param, `must be one of ${known.join(", ")}, but is ${show(value)}.`);
}

/** @throws {Refusal} 422 for text that is not JSON. */
export function checkMetadata(customMetadata: string | undefined): void {
  if (customMetadata === undefined || parsedJson(customMetadata) !== undefined) return;
  throw refuseField(422, "customMetadata", "must be a JSON document encoded as a string.");
}

/** @throws {Refusal} 400 or 422. */
export function parseQuery({ query }: Pick<Operation<unknown>, "query">, url: URL): unknown {
  if (query === undefined) return {};
  // The schema is strict, but unknown parameters are ignored.
  const given = [...url.searchParams].filter(([name]) => Object.hasOwn(query.shape, name));
  const values = given.map(([name, text]) => {
    const isNumber = numericParameters.includes(name) && /^-?[0-9]{1,15}$/.test(text);
    // Anything else stays text, which the schema rejects.
    return [name, isNumber ? Number(text) : text];
  });
  const read = checked(query, Object.fromEntries(values));
  // The schema accepts unknown values for the sake of responses; in a request they are mistakes.
  for (const [name, schema] of Object.entries(query.shape)) {
    checkOneOf(name, knownValues(schema), read[name]);
  }
  return read;
}

/** The longest body that the sandbox reads, in bytes. */
export const maxBodyBytes = 1_048_576;

/**
 * A body as a JSON object.
 *
 * @param text `undefined` for a body that was too large to read.
 * @throws {Refusal} 413 or 400.
 */
export function parseObject(text: string | undefined): Record<string, unknown> {
  if (text === undefined) {
    throw new Refusal(413, {
      code: "body_too_large",
      message: `The body is larger than ${maxBodyBytes} bytes. Send the documented fields only.`,
    });
  }
  const value = parsedJson(text);
  if (isRecord(value)) return value;
  const problem = value === undefined ? "not valid JSON" : "JSON, but not an object";
  throw new Refusal(400, {
    code: "invalid_request",
    message: `The body is ${text === "" ? "empty" : problem}. Send a JSON object with the documented fields.`,
  });
}
