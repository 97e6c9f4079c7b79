import { type Html, html } from "./html.ts";

const paces = [
  ["at-once", "At once"],
  ["by-hand", "In steps"],
  ["on-clock", "By clock"],
] as const;

/** How what is played comes about; the page sends it along as `steps`. */
export function paceChoice(): Html {
  return html`<fieldset class="pace"><legend class="visually-hidden">How it comes about</legend><div class="segments">${paces.map(
    ([steps, name], index) =>
      html`<label><input type="radio" name="steps" value="${steps}" autocomplete="off" ${index === 0 && html`checked`}><span>${name}</span></label>`,
  )}</div></fieldset>`;
}
