import { button, type CopyButton, enable, factRow, h, show, write } from "./dom.ts";
import { load } from "./load.ts";
import type { MessageName } from "./messages.ts";
import type { PayingAgain } from "./state.ts";
import type { Texts } from "./texts.ts";
import type { View } from "./view.ts";
import type { WalletAction } from "./wallet-line.ts";

/** The customer's actions. */
export interface Actions {
  /** @param key The choice's. */
  choose(key: string): void;
  /** Undefined to choose again. */
  chooseDeposit(cents: number | undefined): void;
  retryPrice(): void;
  pay(uuid: string): void;
  giveUpWallet(): void;
  /** Undefined to keep waiting for a transfer that a wallet has sent. */
  payAgain(step: PayingAgain | undefined): void;
  stay(): void;
}

interface PayPanelOptions {
  readonly texts: Texts;
  /** Returns the actions of the current session. */
  readonly actions: () => Actions;
  readonly copyButton: (name: MessageName) => CopyButton;
}

/** How long a quote is valid in every published sample; the countdown's bar is then full. */
const fullBarMs = 600_000;

/** The panel with the amount, the address, the countdown and the wallets. */
export class PayPanel {
  readonly root: HTMLElement;
  /** The progress of a wallet payment. It outlives the panel: a payment that was sent needs no address. */
  readonly walletLine: HTMLElement;
  readonly #options: PayPanelOptions;
  readonly #tokens: HTMLFieldSetElement;
  readonly #networks: HTMLFieldSetElement;
  readonly #transfer: HTMLElement;
  readonly #qr: HTMLElement;
  readonly #amount = h("span", { class: "amount", part: "amount", dir: "ltr" });
  readonly #copyAmount: CopyButton;
  readonly #toAddress = h("span");
  readonly #address = h("code", { part: "address", dir: "ltr" });
  readonly #copyAddress: CopyButton;
  readonly #onlyOn = h("p", { class: "quiet" });
  readonly #countdown: HTMLElement;
  readonly #timer = h("span", { role: "timer" });
  readonly #bar = h("span");
  readonly #retry: HTMLButtonElement;
  readonly #changeAmount: HTMLButtonElement;
  readonly #wallets: HTMLElement;
  readonly #walletButtons = h("div", { class: "wallets" });
  readonly #walletText = h("p");
  readonly #walletActions: { readonly [Action in WalletAction]: HTMLButtonElement };

  constructor(options: PayPanelOptions) {
    this.#options = options;
    const { texts, actions, copyButton } = options;
    const { say } = texts;
    this.#copyAmount = copyButton("copyAmount");
    this.#copyAddress = copyButton("copyAddress");
    this.#tokens = fieldset(say("token"));
    this.#networks = fieldset(say("network"));
    this.#qr = h("div", { class: "qr", part: "qr", role: "img", "aria-label": say("qr") });
    this.#transfer = h(
      "div",
      { class: "transfer", part: "transfer" },
      this.#qr,
      h(
        "dl",
        { class: "facts" },
        factRow(say("sendExactly"), this.#amount, this.#copyAmount),
        factRow(this.#toAddress, this.#address, this.#copyAddress),
      ),
    );
    // The position of the time depends on the language.
    const [before = "", after = ""] = say("validFor", { time: "\n" }).split("\n");
    this.#countdown = h(
      "div",
      { class: "countdown", part: "countdown" },
      h("p", {}, before, this.#timer, after),
      h("div", { class: "track", "aria-hidden": "true" }, this.#bar),
    );
    this.#retry = button(say("tryAgain"), () => actions().retryPrice());
    this.#changeAmount = button(say("changeAmount"), () => actions().chooseDeposit(undefined));
    this.#wallets = h(
      "section",
      { class: "from-wallet", part: "wallets" },
      h("h2", {}, say("wallets")),
      this.#walletButtons,
    );
    this.#walletActions = {
      cancel: button(say("cancel"), () => actions().giveUpWallet()),
      payAnotherWay: button(say("payAnotherWay"), () => actions().payAgain("warned")),
      keepWaiting: button(say("keepWaiting"), () => actions().payAgain(undefined)),
      payAgain: button(say("payAgain"), () => actions().payAgain("sure")),
    };
    this.walletLine = h(
      "div",
      { class: "wallet-line", part: "wallet-status" },
      this.#walletText,
      ...Object.values(this.#walletActions),
    );
    this.root = h(
      "section",
      { class: "pay", part: "pay", role: "group", "aria-label": say("howToPay") },
      h("div", { class: "choices", part: "choices" }, this.#tokens, this.#networks),
      this.#retry,
      this.#transfer,
      this.#onlyOn,
      this.#countdown,
      this.#changeAmount,
      this.#wallets,
    );
  }

  update(view: View): void {
    const { phase, tokens, networks, canChangeAmount, canRetryPrice } = view;
    show(this.root, phase === "pay");
    this.#fill(this.#tokens, "token", tokens);
    this.#fill(this.#networks, "network", networks);
    show(this.#changeAmount, canChangeAmount);
    show(this.#retry, canRetryPrice);
    this.#showTransfer(view);
    this.#showWallets(view);
    this.#showWalletLine(view);
  }

  countDown(remainingMs: number): void {
    // The Date header has a resolution of one second, so a fresh quote may seem to last slightly longer.
    const shownMs = Math.min(remainingMs, fullBarMs);
    write(this.#timer, this.#options.texts.time(shownMs));
    this.#bar.style.setProperty("--share", String(shownMs / fullBarMs));
  }

  #fill(set: HTMLFieldSetElement, name: string, options: View["tokens"]): void {
    show(set, options.length > 0);
    const segments = set.lastElementChild as HTMLElement;
    for (const [index, { label, choice, isChosen }] of options.entries()) {
      // Reuse the radio for another choice: a new one would lose the focus.
      const option = segments.children[index] ?? segments.appendChild(this.#radio(name));
      const [input, text] = option.children as unknown as [HTMLInputElement, HTMLElement];
      input.value = choice.key;
      input.checked = isChosen;
      write(text, label);
    }
    for (const option of [...segments.children].slice(options.length)) option.remove();
  }

  #radio(name: string): HTMLElement {
    const input = h("input", { type: "radio", name, autocomplete: "off" });
    input.addEventListener("change", () => this.#options.actions().choose(input.value));
    return h("label", { part: "option" }, input, h("span", { dir: "auto" }));
  }

  #showTransfer({ transfer, toAddress, onlyOn, isPriceLoading }: View): void {
    // While a price is loading, its place stays reserved.
    this.root.toggleAttribute("data-loading", isPriceLoading);
    for (const element of [this.#transfer, this.#onlyOn, this.#countdown])
      show(element, isPriceLoading || transfer !== undefined);
    for (const { element } of [this.#copyAmount, this.#copyAddress]) {
      enable(element, transfer !== undefined);
    }
    const { amount = "", symbol = "", address = "" } = transfer ?? {};
    write(this.#amount, `${amount} ${symbol}`.trim());
    this.#copyAmount.value = amount;
    write(this.#toAddress, toAddress ?? "");
    write(this.#address, address);
    this.#copyAddress.value = address;
    write(this.#onlyOn, onlyOn ?? "");
    void this.#drawQr(address);
  }

  /** A QR code of the address alone: from a payment link, several wallets read only the token's contract. */
  async #drawQr(address: string): Promise<void> {
    if (this.#qr.dataset.address === address) return;
    this.#qr.dataset.address = address;
    this.#qr.replaceChildren();
    if (address === "") return;
    // Meanwhile, the address can be copied.
    const hide = () => show(this.#qr, false);
    const module = await load(() => import("./qr.ts"), hide);
    show(this.#qr, module !== undefined);
    if (module && this.#qr.dataset.address === address) {
      this.#qr.replaceChildren(module.qrCode(address));
    }
  }

  #showWallets({ wallets, isWalletBusy }: View): void {
    const { texts, actions } = this.#options;
    show(this.#wallets, wallets.length > 0);
    for (const { uuid, name, icon } of wallets) {
      const buttons = [...this.#walletButtons.children] as HTMLElement[];
      if (buttons.some(({ dataset }) => dataset.uuid === uuid)) continue;
      const added = button(texts.say("payWith", { wallet: name }), () => actions().pay(uuid));
      added.dataset.uuid = uuid;
      this.#walletButtons.append(added);
      if (icon) void drawIcon(icon, added);
    }
    for (const it of this.#walletButtons.querySelectorAll("button")) {
      enable(it, !isWalletBusy);
    }
  }

  #showWalletLine({ wallet }: View): void {
    show(this.walletLine, wallet !== undefined);
    this.walletLine.toggleAttribute("data-bad", wallet?.isBad === true);
    write(this.#walletText, wallet?.text ?? "");
    for (const [action, element] of Object.entries(this.#walletActions)) {
      show(element, wallet?.actions.includes(action as WalletAction) === true);
    }
  }
}

/** A wallet whose icon cannot be drawn still has its name. */
async function drawIcon(url: string, element: HTMLElement): Promise<void> {
  const module = await load(() => import("./wallet-icon.ts"));
  const icon = await module?.walletIcon(url);
  if (icon) element.prepend(icon);
}

function fieldset(legend: string): HTMLFieldSetElement {
  return h("fieldset", {}, h("legend", {}, legend), h("div", { class: "segments" }));
}
