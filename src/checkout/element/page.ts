import { depositForm } from "./deposit-form.ts";
import { copyButton, h, show, showText, write } from "./dom.ts";
import type { MessageName } from "./messages.ts";
import { OutcomePanel } from "./outcome-panel.ts";
import { type Actions, PayPanel } from "./pay-panel.ts";
import type { Texts } from "./texts.ts";
import type { View } from "./view.ts";

/** How long an announcement stays in the document for screen readers. */
const announcementMs = 3_000;

/** The element's DOM in one language: built once, then updated where the view changes. */
export class Page {
  readonly root: HTMLElement;
  readonly #monogram = h("span", { class: "monogram", "aria-hidden": "true" });
  readonly #merchant = h("bdi");
  readonly #order = h("bdi", { class: "order", part: "order" });
  readonly #merchantLine: HTMLElement;
  readonly #title = h("h1", { part: "title" });
  readonly #fees = h("p", { class: "quiet", part: "fees" });
  readonly #status = h("span");
  /** For screen readers only. */
  readonly #said = h("span", { class: "visually-hidden" });
  readonly #notice = h("p", { class: "notice", part: "notice" });
  /** Reserves the space of the payment while it loads, so that the page below does not jump. */
  readonly #skeleton = h(
    "div",
    { class: "skeleton", "aria-hidden": "true" },
    ...Array.from({ length: 8 }, () => h("div")),
  );
  readonly #steps: HTMLElement;
  readonly #deposit: HTMLFormElement;
  readonly #pay: PayPanel;
  readonly #outcome: OutcomePanel;
  readonly #return: string;
  /** What was last announced of the view, besides its status. */
  #lines: readonly (string | undefined)[] = [];
  /** The text that announced the countdown to the redirect. */
  #leaving: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(texts: Texts, actions: () => Actions) {
    const { say } = texts;
    const announce = (text: string) => this.#announce(text);
    const copy = (name: MessageName) => copyButton(name, texts, announce);
    const steps = [say("stepWaiting"), say("stepConfirming"), say("stepPaid")];
    this.#steps = h(
      "ol",
      { class: "steps", part: "steps", "aria-label": say("progress") },
      ...steps.map((step) => h("li", {}, step)),
    );
    this.#merchantLine = h(
      "p",
      { class: "merchant", part: "merchant" },
      this.#monogram,
      this.#merchant,
      this.#order,
    );
    this.#deposit = depositForm({
      texts,
      onChoose: (cents) => actions().chooseDeposit(cents),
      announce,
    });
    this.#pay = new PayPanel({ texts, actions, copyButton: copy });
    this.#return = say("return");
    this.#outcome = new OutcomePanel({ texts, onStay: () => actions().stay(), copyButton: copy });
    this.root = h(
      "section",
      {
        class: "card",
        part: "card",
        lang: texts.language,
        dir: texts.isRightToLeft ? "rtl" : "ltr",
        tabindex: "-1",
      },
      h(
        "header",
        { part: "header" },
        this.#merchantLine,
        this.#title,
        this.#fees,
        h(
          "p",
          // The only live region, so that announcements do not repeat the status.
          { class: "status", part: "status", role: "status", "aria-atomic": "false" },
          h("span", { class: "dot", "aria-hidden": "true" }),
          this.#status,
          this.#said,
        ),
        this.#notice,
      ),
      this.#skeleton,
      this.#steps,
      this.#deposit,
      this.#pay.root,
      this.#pay.walletLine,
      ...this.#outcome.elements,
    );
  }

  /** Replaces the page in another language, and takes over the customer's input and the focus. */
  replace(before: Page | undefined, shadowRoot: ShadowRoot): void {
    const targets = this.#targets;
    const [old, focused] = [before ? before.#targets : [], shadowRoot.activeElement];
    shadowRoot.replaceChildren(this.root);
    for (const [index, target] of old.entries()) {
      const own = targets[index];
      if (own instanceof HTMLInputElement && own.type === "text")
        own.value = (target as HTMLInputElement).value;
      if (target === focused) own?.focus({ preventScroll: true });
    }
  }

  /** What can have the focus, in the same order in every language: the card, and its controls. */
  get #targets(): HTMLElement[] {
    return [this.root, ...this.root.querySelectorAll<HTMLElement>("a, button, input")];
  }

  countDown(remainingMs: number): void {
    this.#pay.countDown(remainingMs);
  }

  update(view: View): void {
    const { root } = this;
    const { activeElement: focused } = root.getRootNode() as ShadowRoot;
    root.ariaLabel = view.label;
    root.ariaBusy = String(view.phase === "loading");
    root.dataset.phase = view.phase;
    root.dataset.tone = view.tone;
    write(this.#monogram, view.monogram);
    write(this.#status, view.status);
    show(this.#merchantLine, view.merchant !== undefined);
    showText(this.#merchant, view.merchant);
    showText(this.#order, view.order);
    showText(this.#title, view.title);
    showText(this.#fees, view.fees);
    showText(this.#notice, view.notice);
    show(this.#skeleton, view.phase === "loading");
    this.#showSteps(view);
    show(this.#deposit, view.phase === "deposit");
    this.#pay.update(view);
    this.#outcome.update(view);
    // A countdown to the redirect is announced as it starts.
    this.#leaving = view.returnIn && (this.#leaving ?? `${this.#return} ${view.returnIn}`);
    const lines = [view.notice, view.wallet?.text, view.outcome, this.#leaving];
    // A text that only moves, such as from the wallet to the notice, is not repeated.
    for (const line of lines) if (line && !this.#lines.includes(line)) this.#announce(line);
    this.#lines = lines;
    // The focused control may now be hidden: keep the focus in the element, for keyboard users.
    if (focused && !focused.checkVisibility()) root.focus({ preventScroll: true });
  }

  #showSteps({ stepsDone }: View): void {
    show(this.#steps, stepsDone !== undefined);
    for (const [index, step] of [...this.#steps.children].entries()) {
      step.toggleAttribute("data-done", index < (stepsDone ?? 0));
      step.ariaCurrent = index === stepsDone ? "step" : null;
    }
  }

  #announce(text: string): void {
    // Added, because texts that change together would replace each other unheard.
    this.#said.append(`${text} `);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#said.replaceChildren(), announcementMs);
  }
}
