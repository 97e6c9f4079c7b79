import { control } from "./control.ts";
import { part } from "./parts.ts";

/** Tells the payment beside the strip that something may have happened to it. */
export const playedEvent = "sandbox:played";
/** Tells the strip that nothing more can happen to the payment. */
export const finalEvent = "sandbox:final";

/** The buttons that play the customer's wallet. */
export class SandboxStrip extends HTMLElement {
  connectedCallback(): void {
    const buttons = [...this.querySelectorAll<HTMLButtonElement>("[data-scenario]")];
    const note = part(this, "note");
    for (const button of buttons) {
      button.addEventListener("click", async () => {
        const { scenario } = button.dataset;
        const path = `payments/${this.getAttribute("payment-id")}/simulate`;
        note.textContent = (await control(path, { scenario })) ?? "";
        document.dispatchEvent(new Event(playedEvent));
      });
    }
    document.addEventListener(finalEvent, () => {
      for (const button of buttons) button.disabled = true;
    });
  }
}
