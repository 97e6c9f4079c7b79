import { invalidArgument, show } from "../values.ts";

/** A token's `decimals` is one byte. */
const maxDecimals = 255;

/**
 * A decimal amount in smallest units. Exact, or an error: nothing is ever rounded. The amount is digits with an
 * optional fraction, without a sign, an exponent, separators or superfluous leading zeros.
 *
 * @param amount Whole tokens as text. A JavaScript number is refused: it may already be rounded.
 * @param decimals The token's own `decimals`, 0 to 255. The same symbol can have different decimals on different
 * chains.
 * @throws {InvalidRequestError} code `invalid_amount` when the amount is malformed, finer than the smallest unit, or
 * more than a token contract can hold; code `invalid_decimals`.
 * @example
 * ```ts
 * parseUnits("1.5", 6); // 1500000n
 * parseUnits("1.0000001", 6); // throws: finer than the smallest unit
 * ```
 */
export function parseUnits(amount: string, decimals: number): bigint {
  checkDecimals(decimals);
  const { whole, fraction } = splitAmount(amount);
  const digits = withoutTrailingZeros(fraction);
  if (digits.length > decimals) {
    throw invalidAmount(
      "amount",
      `has ${digits.length} decimal places, but the smallest unit has ${decimals}. ` +
        "Round it first, in the direction you want.",
    );
  }
  return countOf(whole + digits.padEnd(decimals, "0"), "amount");
}

/**
 * Smallest units as a decimal amount: every digit, no superfluous zeros. The reverse of `parseUnits`.
 *
 * @param units A whole number, not negative: a bigint, or digits as the service sends them.
 * @param decimals The token's own `decimals`, 0 to 255.
 * @throws {InvalidRequestError} code `invalid_amount` or `invalid_decimals`.
 * @example
 * ```ts
 * formatUnits("1500000", 6); // "1.5"
 * formatUnits(10n ** 18n, 18); // "1"
 * formatUnits(1n, 18); // "0.000000000000000001"
 * ```
 */
export function formatUnits(units: bigint | string, decimals: number): string {
  checkDecimals(decimals);
  const digits = toUnits(units)
    .toString()
    .padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = withoutTrailingZeros(digits.slice(whole.length));
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/**
 * US dollars in cents, as `payments.create` takes them. Exact, or an error. More than two decimal places are refused
 * even where they are zeros, because "1.000" means a thousand in half the world.
 *
 * @param usd Digits with at most two decimal places, such as `"25"`, `"25.5"` or `"25.00"`.
 * @throws {InvalidRequestError} code `invalid_amount` when the text is anything else, or more cents than a JavaScript
 * number holds exactly.
 * @example
 * ```ts
 * usdToCents("25.00"); // 2500
 * usdToCents("0.005"); // throws: a fraction of a cent
 * ```
 */
export function usdToCents(usd: string): number {
  const { whole, fraction } = splitAmount(usd);
  if (fraction.length > 2) {
    throw invalidAmount(
      "amount",
      `has ${fraction.length} decimal places, but dollars have 2. ` +
        "Round it to cents first, and write thousands without a separator.",
    );
  }
  const cents = Number(whole + fraction.padEnd(2, "0"));
  if (!Number.isSafeInteger(cents)) {
    throw invalidAmount(
      "amount",
      `is over ${Number.MAX_SAFE_INTEGER} cents. Pass a smaller amount.`,
    );
  }
  return cents;
}

/** A checked count of smallest units: whole, not negative, and no more than a token contract can hold. */
export function toUnits(units: bigint | string, param = "units"): bigint {
  const digits = typeof units === "bigint" ? units.toString() : units;
  if (typeof digits === "string" && /^(?:0|[1-9][0-9]*)$/.test(digits))
    return countOf(digits, param);
  throw invalidAmount(
    param,
    `must be a bigint or a string of digits, not negative, but is ${show(units)}. ` +
      "Pass smallest units as the service sends them; parseUnits converts an amount to them.",
  );
}

function countOf(digits: string, param: string): bigint {
  // Longer text is too large whatever the decimals: never build a huge bigint from hostile text.
  const count = digits.length > 78 + maxDecimals ? undefined : BigInt(digits);
  if (count !== undefined && BigInt.asUintN(256, count) === count) return count;
  throw invalidAmount(
    param,
    "is more than a token contract can hold (256 bits). Pass a smaller amount.",
  );
}

function checkDecimals(decimals: number): void {
  if (Number.isInteger(decimals) && decimals >= 0 && decimals <= maxDecimals) return;
  throw invalidArgument(
    "decimals",
    `decimals must be a whole number from 0 to ${maxDecimals}, but is ${show(decimals)}. ` +
      "Pass the token's own decimals.",
    "invalid_decimals",
  );
}

function splitAmount(amount: string): { whole: string; fraction: string } {
  const match = typeof amount === "string" && /^(0|[1-9][0-9]*)(?:\.([0-9]+))?$/.exec(amount);
  if (!match) {
    throw invalidAmount(
      "amount",
      `must be a string of digits with an optional fraction, such as "25.5", but is ${show(amount)}. ` +
        "Leave out signs, leading zeros, exponents, spaces, currency symbols and thousands separators.",
    );
  }
  return { whole: match[1] ?? "", fraction: match[2] ?? "" };
}

/** Begins at the first zero of a run: `/0+$/` alone would take quadratic time on long runs before another digit. */
function withoutTrailingZeros(digits: string): string {
  return digits.replace(/(?<!0)0+$/, "");
}

/** @param problem The rest of the message, which begins with the parameter. */
export function invalidAmount(param: string, problem: string) {
  return invalidArgument(param, `${param} ${problem}`, "invalid_amount");
}
