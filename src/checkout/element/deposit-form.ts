import { maxAmountInCents } from "../../wire/payment.ts";
import { h, write } from "./dom.ts";
import type { Texts } from "./texts.ts";

interface DepositFormOptions {
  readonly texts: Texts;
  readonly onChoose: (cents: number) => void;
  readonly announce: (text: string) => void;
}

/** Asks the customer how much to deposit. */
export function depositForm({ texts, onChoose, announce }: DepositFormOptions): HTMLFormElement {
  const { say, money } = texts;
  const error = h("p", { class: "error", id: "deposit-error" });
  const input = h("input", {
    id: "deposit-amount",
    inputmode: "decimal",
    autocomplete: "off",
    // Without a decimal sign, which differs between languages.
    value: "25",
    dir: "ltr",
    "aria-describedby": "deposit-error",
  });
  const submit = h("button", { class: "primary", part: "button" }, say("continue"));
  // Enter clicks the button, too. A frame without `allow-forms` gets no submit event.
  submit.addEventListener("click", (event) => {
    event.preventDefault();
    const cents = centsOf(input.value, texts);
    const isValid = cents !== undefined;
    const limits = { example: money(2550, "USD"), most: money(maxAmountInCents, "USD") };
    const problem = isValid ? "" : say("depositInvalid", limits);
    input.ariaInvalid = String(!isValid);
    write(error, problem);
    if (isValid) return onChoose(cents);
    announce(problem);
    input.focus();
  });
  return h(
    "form",
    { class: "deposit", part: "deposit" },
    h("label", { for: "deposit-amount" }, say("depositAmount")),
    h(
      "div",
      { class: "field", part: "field" },
      h("span", { "aria-hidden": "true" }, "$"),
      input,
      submit,
    ),
    error,
  );
}

/**
 * Converts dollars with up to two decimals to cents. Half the world uses a decimal comma, so a comma or point before
 * three digits is accepted only if it is unambiguous: `1.000` is refused on an English page.
 */
export function centsOf(text: string, { number }: Texts): number | undefined {
  const amount = plain(text)
    .replace(/^(US ?\$|USD|\$)|(US ?\$|USD|\$( ?US)?)$/gi, "")
    .trim();
  const [, whole = "", decimal = "", fraction = ""] =
    /^([\d.,' ]*?)(?:([.,])(\d{0,2}))?$/.exec(amount) ?? [];
  const [, separator, more] = /^[1-9]\d{0,2}([.,' ])(\d{2,3}\1)*\d{3}$/.exec(whole) ?? [];
  const [usual = ""] = plain(number(maxAmountInCents)).replace(/\d/g, "");
  const isSure = decimal || more || `${usual} '`.includes(separator ?? "");
  const isGrouped = separator !== undefined && separator !== decimal && isSure;
  if (!isGrouped && !/^\d*$/.test(whole)) return undefined;
  const cents = Number(whole.replace(/\D/g, "")) * 100 + Number(fraction.padEnd(2, "0"));
  return cents >= 1 && cents <= maxAmountInCents ? cents : undefined;
}

/** The text with ASCII digits and signs, and without direction marks. */
function plain(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .replace(/\p{Nd}/gu, digit)
    .replaceAll("٫", ".")
    .replaceAll("٬", ",")
    .replaceAll("’", "'")
    .trim();
}

/** The ten digits of a script are consecutive. */
function digit(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  let value = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value);
}
