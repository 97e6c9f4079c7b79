import type { MessageName, Messages } from "./messages.ts";

/** Words and numbers in one language. */
export interface Texts {
  /** The language of the words: a BCP 47 tag. */
  readonly language: string;
  readonly isRightToLeft: boolean;
  /** A text with its placeholders filled in. */
  say(name: MessageName, values?: Readonly<Record<string, string>>): string;
  /** An amount of cents in a currency, such as `$25.00`. */
  money(cents: number, currency: string): string;
  number(value: number): string;
  /** Milliseconds as `9:05`. */
  time(milliseconds: number): string;
}

/**
 * @param tag The BCP 47 tag for numbers; English if `Intl` refuses it.
 * @param language The language of the messages.
 */
export function createTexts(messages: Messages, tag: string, language = tag): Texts {
  const locale = isLocale(tag) ? tag : "en";
  const isRightToLeft = /^ar\b/i.test(language);
  const inserted = isRightToLeft ? isolated : (text: string) => text;
  const whole = new Intl.NumberFormat(locale);
  const twoDigits = new Intl.NumberFormat(locale, { minimumIntegerDigits: 2 });
  return {
    language,
    isRightToLeft,
    say: (name, values = {}) =>
      messages[name].replace(/\{(\w+)\}/g, (placeholder, key: string) =>
        Object.hasOwn(values, key) ? inserted(values[key] ?? "") : placeholder,
      ),
    money: (cents, currency) =>
      moneyParts(locale, cents / 100, currency)
        .map(({ type, value }) => (type === "currency" ? inserted(value) : value))
        .join(""),
    number: (value) => whole.format(value),
    time(milliseconds) {
      const seconds = Math.ceil(milliseconds / 1000);
      return `${whole.format(Math.floor(seconds / 60))}:${twoDigits.format(seconds % 60)}`;
    },
  };
}

/** Text that keeps its own direction: otherwise, `US$` is displayed as `$US` among Arabic words. */
function isolated(text: string): string {
  return `\u2068${text}\u2069`;
}

function moneyParts(locale: string, amount: number, currency: string): Intl.NumberFormatPart[] {
  try {
    return new Intl.NumberFormat(locale, { style: "currency", currency }).formatToParts(amount);
  } catch {
    // The service may name a currency without a three-letter code.
    const number = new Intl.NumberFormat(locale, { minimumFractionDigits: 2 });
    const name = { type: "currency", value: printable(currency) } as const;
    return [...number.formatToParts(amount), { type: "literal", value: " " }, name];
  }
}

function isLocale(tag: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}

/**
 * A text from the service or a wallet, safe to show: without control characters, or characters that reorder or hide
 * their neighbours, so that no symbol can pass for a different amount.
 *
 * @param longest In characters. Default 40, enough for every name.
 */
export function printable(text: unknown, longest = 40): string {
  const clean = String(text ?? "")
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "")
    .trim();
  return clean.length > longest ? `${clean.slice(0, longest)}…` : clean;
}
