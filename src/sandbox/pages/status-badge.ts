import { type Html, html } from "./html.ts";

/** The status of a payment, a withdrawal or a webhook, in the colour of what it means. */
export function statusBadge(status: string): Html {
  const isGood = ["completed", "confirmed", "delivered"].includes(status);
  const isBad = ["failed", "expired", "cancelled"].includes(status);
  return badge(isGood ? "good" : isBad ? "bad" : "open", status);
}

export function badge(tone: "good" | "bad" | "open" | "warn", text: string | number): Html {
  return html`<span class="badge ${tone}">${text}</span>`;
}
