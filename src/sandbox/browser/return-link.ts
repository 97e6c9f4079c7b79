import { part } from "./parts.ts";

const delaySeconds = 3;

/** The way back to the shop: a link that is followed by itself after a payment, unless told to stay. */
export class ReturnLink extends HTMLElement {
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Starts the way back. May be called again. */
  start(): void {
    if (this.#timer !== undefined) return;
    const note = part(this, "return-note");
    const stay = part<HTMLButtonElement>(this, "stay");
    let seconds = delaySeconds;
    const tick = () => {
      note.textContent = `in ${seconds} s`;
      if (seconds > 0) {
        seconds--;
        return;
      }
      clearInterval(this.#timer);
      location.assign(part<HTMLAnchorElement>(this, "return").href);
    };
    stay.hidden = false;
    stay.addEventListener("click", () => {
      clearInterval(this.#timer);
      note.textContent = "";
      stay.hidden = true;
      part(this, "return").focus();
    });
    this.#timer = setInterval(tick, 1_000);
    tick();
  }

  disconnectedCallback(): void {
    clearInterval(this.#timer);
  }
}
