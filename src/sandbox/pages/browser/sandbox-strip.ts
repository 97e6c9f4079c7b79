import { isFinal } from "../../../checkout/index.ts";
import { listOf, reading } from "./control.ts";
import { part } from "./elements.ts";

/** Tells the payment beside the strip that something may have happened to it. */
export const playedEvent = "sandbox:played";
/** Tells the strip the payment's status. */
export const stateEvent = "sandbox:state";

/** A step that was begun and is still to come. */
interface Upcoming {
  readonly status: string;
  readonly confirmations: number | null;
  /** Null where only a button takes it. */
  readonly dueAt: string | null;
}

/** How often to look whether the clock took a step. */
const lookEveryMs = 1_000;

/** The buttons that play the customer's wallet. */
export class SandboxStrip extends HTMLElement {
  #status = "";
  #isPlaying = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  connectedCallback(): void {
    part(this, "plays").addEventListener("click", ({ target }) => {
      const button = target instanceof Element && target.closest<HTMLElement>("[data-scenario]");
      if (!button) return;
      void this.#play("simulate", { scenario: button.dataset.scenario, steps: this.#pace() });
    });
    part(this, "step").addEventListener("click", () => void this.#play("step"));
    document.addEventListener(stateEvent, (event) => {
      this.#status = (event as CustomEvent<string>).detail;
      void this.#follow();
    });
  }

  disconnectedCallback(): void {
    clearTimeout(this.#timer);
  }

  async #play(what: "simulate" | "step", body: object = {}): Promise<void> {
    // Until the buttons say what can be played next, a second click is none.
    if (this.#isPlaying) return;
    this.#isPlaying = true;
    const answer = await reading(`payments/${this.getAttribute("payment-id")}/${what}`, body);
    part(this, "note").textContent = typeof answer === "string" ? answer : "";
    if (typeof answer !== "string") {
      const payment = (await answer.json().catch(() => ({}))) as { status?: string };
      this.#status = payment.status ?? this.#status;
    }
    await this.#follow();
    this.#isPlaying = false;
    document.dispatchEvent(new Event(playedEvent));
  }

  #pace(): string | undefined {
    return this.querySelector<HTMLInputElement>('input[name="steps"]:checked')?.value;
  }

  /** Offers what can be played now: a scenario, or the next step of the one that was begun. */
  async #follow(): Promise<void> {
    const path = `payments/${this.getAttribute("payment-id")}/upcoming`;
    const [next] = (await listOf<Upcoming>(path)) ?? [];
    const plays = part(this, "plays");
    const underWay = part(this, "under-way");
    const step = part(this, "step");
    for (const button of plays.querySelectorAll<HTMLButtonElement>("[data-scenario]")) {
      const isLate = button.dataset.scenario === "late" && this.#status === "expired";
      button.disabled = next !== undefined || (isFinal(this.#status) && !isLate);
    }
    const hadFocus = document.activeElement === step;
    if (underWay.hidden && next) setTimeout(() => step.focus());
    underWay.hidden = next === undefined;
    if (hadFocus && next === undefined) this.querySelector<HTMLElement>("a, summary")?.focus();
    if (next === undefined) return;

    part(this, "next").textContent = nextText(next);
    clearTimeout(this.#timer);
    if (next.dueAt === null) return;
    this.#timer = setTimeout(() => document.dispatchEvent(new Event(playedEvent)), lookEveryMs);
  }
}

function nextText({ status, confirmations, dueAt }: Upcoming): string {
  const count = confirmations === 1 ? "1 confirmation" : `${confirmations} confirmations`;
  const what = confirmations === null ? status : `${status}, ${count}`;
  return dueAt === null ? `Next: ${what}.` : `Next: ${what}, at ${dueAt.slice(11, 19)}.`;
}
