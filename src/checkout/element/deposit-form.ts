import { h, write } from "./dom.ts";
import type { Texts } from "./texts.ts";

interface DepositFormOptions {
  readonly texts: Texts;
  readonly onChoose: (cents: number) => void;
  readonly announce: (text: string) => void;
}

/** Asks the customer of a deposit how much to pay in. */
export function depositForm({ texts, onChoose, announce }: DepositFormOptions): HTMLFormElement {
  const { say } = texts;
  const error = h("p", { class: "error", id: "deposit-error" });
  const input = h("input", {
    id: "deposit-amount",
    inputmode: "decimal",
    autocomplete: "off",
    value: "25.00",
    dir: "ltr",
    "aria-describedby": "deposit-error",
  });
  const form = h(
    "form",
    { class: "deposit", part: "deposit", novalidate: true },
    h("label", { for: "deposit-amount" }, say("depositAmount")),
    h(
      "div",
      { class: "field", part: "field" },
      h("span", { "aria-hidden": "true" }, "$"),
      input,
      h("button", { class: "primary", part: "button" }, say("continue")),
    ),
    error,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const cents = centsOf(input.value);
    const isValid = cents !== undefined;
    input.setAttribute("aria-invalid", String(!isValid));
    write(error, isValid ? "" : say("depositInvalid"));
    if (isValid) return onChoose(cents);
    announce(say("depositInvalid"));
    input.focus();
  });
  return form;
}

/** Over this, the service accepts no payment (interface section 8). */
const maxCents = 100_000_000;

/** Dollars with up to two decimals in cents; a comma counts as a point, because half of the world writes one. */
function centsOf(text: string): number | undefined {
  const [, whole = "", fraction = ""] = /^(\d{1,7})(?:[.,](\d{1,2}))?$/.exec(text.trim()) ?? [];
  const cents = Number(whole) * 100 + Number(fraction.padEnd(2, "0"));
  return cents >= 1 && cents <= maxCents ? cents : undefined;
}
