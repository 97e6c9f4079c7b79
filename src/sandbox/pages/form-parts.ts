import type { Occasions } from "../faults/waiting-list.ts";
import { type Html, html } from "./html.ts";

/** A choice whose values are JSON, so that they can be of any type. */
export function jsonChoice(
  title: string,
  name: string,
  options: readonly (readonly [text: string, value: unknown])[],
): Html {
  return html`<label>${title}<select name="${name}" data-as="json" autocomplete="off">${options.map(([text, value]) => html`<option value="${JSON.stringify(value ?? null)}">${text}</option>`)}</select></label>`;
}

/** How often something is to happen; its fields become fields of what is sent. */
export const oftenOptions: readonly (readonly [string, object])[] = [
  ["once", { times: 1 }],
  ["3 times", { times: 3 }],
  ["always", { times: "always" }],
  ["half of the time", { probability: 0.5 }],
  ["one time in ten", { probability: 0.1 }],
];

/** `oftenOptions` of something that waits, in words. */
export function often({ times = 1, probability = 1 }: Occasions): string {
  const count = Number.isFinite(times) ? `${times} more` : "always";
  if (probability === 1) return count;
  const share = `${Math.round(probability * 1000) / 10} %`;
  return Number.isFinite(times) ? `${count}, ${share}` : share;
}
