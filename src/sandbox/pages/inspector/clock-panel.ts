import { commandButton } from "../command-button.ts";
import { type Html, html } from "../html.ts";

const leaps = [
  ["1m", "1 min"],
  ["15m", "15 min"],
  ["1h", "1 h"],
  ["1d", "1 day"],
] as const;

/** The sandbox's time, and buttons that move it. */
export function clockPanel(now: Date, isFrozen: boolean): Html {
  const iso = now.toISOString();
  return html`<div class="time" role="group" aria-label="Clock">
<p data-live="clock"><sandbox-clock id="now" now="${iso}" ${isFrozen && html`frozen`}>${iso.slice(0, 19).replace("T", " ")}</sandbox-clock> <span class="quiet" id="pace">UTC${isFrozen && ", stands still"}</span></p>
<div class="buttons">${leaps.map(([duration, name]) =>
    commandButton({
      name: `+${name}`,
      about: "on the clock",
      path: "clock/advance",
      body: { duration },
    }),
  )}</div>
</div>`;
}
