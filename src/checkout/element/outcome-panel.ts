import { button, type CopyButton, drawing, factRow, h, show, showText } from "./dom.ts";
import type { MessageName } from "./messages.ts";
import type { Texts } from "./texts.ts";
import type { View } from "./view.ts";

const circle = "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20z";

interface OutcomePanelOptions {
  readonly texts: Texts;
  readonly onStay: () => void;
  readonly copyButton: (name: MessageName) => CopyButton;
}

/** The confirmations, then the payment's outcome, and the way back to the shop. */
export class OutcomePanel {
  readonly elements: readonly HTMLElement[];
  readonly #confirming: HTMLElement;
  readonly #confirmationsText = h("p", { class: "count" });
  readonly #confirmations: HTMLProgressElement;
  readonly #outcome: HTMLElement;
  readonly #outcomeText = h("p");
  readonly #facts: HTMLElement;
  readonly #received = h("span", { class: "amount" });
  readonly #receivedRow: HTMLElement;
  readonly #transaction = h("code", { dir: "ltr", part: "transaction" });
  readonly #transactionRow: HTMLElement;
  readonly #copyTransaction: CopyButton;
  readonly #return: HTMLElement;
  readonly #returnLink: HTMLAnchorElement;
  readonly #returnNote = h("span", { class: "quiet" });
  readonly #stay: HTMLButtonElement;

  constructor({ texts: { say }, onStay, copyButton }: OutcomePanelOptions) {
    this.#confirmations = h("progress", { "aria-label": say("confirmingBar") });
    this.#confirming = h(
      "section",
      {
        class: "confirming",
        part: "confirming",
        role: "group",
        "aria-label": say("stepConfirming"),
      },
      this.#confirmationsText,
      this.#confirmations,
      h("p", { class: "quiet" }, say("onItsWay")),
    );
    this.#outcome = h(
      "section",
      { part: "outcome", role: "group", "aria-label": say("outcome") },
      h(
        "div",
        { class: "summary" },
        drawing(`${circle}M7.5 12.5l3 3 6-6.5`, "0 0 24 24", { class: "mark good" }),
        drawing(`${circle}M8.5 8.5l7 7m0-7-7 7`, "0 0 24 24", { class: "mark bad" }),
        this.#outcomeText,
      ),
    );
    this.#copyTransaction = copyButton("copyTransaction");
    this.#receivedRow = factRow(say("received"), this.#received);
    this.#transactionRow = factRow(say("transaction"), this.#transaction, this.#copyTransaction);
    this.#facts = h("dl", { class: "facts" }, this.#receivedRow, this.#transactionRow);
    this.#returnLink = h("a", { class: "primary", part: "button return" }, say("return"));
    this.#stay = button(say("stay"), () => {
      this.#returnLink.focus();
      onStay();
    });
    this.#return = h("p", { class: "return" }, this.#returnLink, this.#returnNote, this.#stay);
    this.elements = [this.#confirming, this.#outcome, this.#facts, this.#return];
  }

  update({ confirmations, outcome, received, transaction, returnUrl, returnIn }: View): void {
    show(this.#confirming, confirmations !== undefined);
    showText(this.#confirmationsText, confirmations?.text);
    const { value, max } = confirmations ?? {};
    if (value === undefined || max === undefined) this.#confirmations.removeAttribute("value");
    else Object.assign(this.#confirmations, { max, value });

    show(this.#outcome, outcome !== undefined);
    showText(this.#outcomeText, outcome);
    show(this.#receivedRow, received !== undefined);
    showText(this.#received, received);
    show(this.#transactionRow, transaction !== undefined);
    showText(this.#transaction, transaction);
    this.#copyTransaction.value = transaction ?? "";
    show(this.#facts, received !== undefined || transaction !== undefined);

    show(this.#return, returnUrl !== undefined);
    if (returnUrl !== undefined) this.#returnLink.href = returnUrl;
    showText(this.#returnNote, returnIn);
    show(this.#stay, returnIn !== undefined);
  }
}
