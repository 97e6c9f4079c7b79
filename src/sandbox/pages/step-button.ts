import { commandButton } from "./command-button.ts";
import { type Html, html } from "./html.ts";

interface StepButton {
  readonly path: string;
  readonly about: string;
  /** What the step leads to. */
  readonly next: string;
}

/** Takes the next step of a scenario that goes step by step. */
export function stepButton({ path, about, next }: StepButton): Html {
  const name = "Next step";
  return html`<div class="buttons">${commandButton({ name, about, path, tone: "primary" })}<span class="quiet">${next}</span></div>`;
}
