import { listenToCommands, say, unreachable } from "./control.ts";
import { CopyButton, SandboxClock } from "./elements.ts";
import { refreshSoon, showDetails } from "./live-page.ts";

customElements.define("copy-button", CopyButton);
customElements.define("sandbox-clock", SandboxClock);
listenToCommands();

/** Marks everything that has the same cause as the entry under the pointer. */
function markThread({ target }: Event): void {
  const entry = target instanceof Element ? target.closest<HTMLElement>("[data-thread]") : null;
  for (const other of document.querySelectorAll<HTMLElement>("[data-thread]")) {
    const isNear = entry !== null && other.dataset.thread === entry.dataset.thread;
    other.classList.toggle("near", isNear);
  }
}
for (const type of ["pointerover", "focusin"]) document.addEventListener(type, markThread);

// The toggle event of an entry does not bubble.
document.addEventListener(
  "toggle",
  ({ target }) => {
    if (!(target instanceof HTMLDetailsElement) || !target.matches(".entry > details")) return;
    if (target.open) void showDetails(target);
  },
  true,
);

function openTarget(): void {
  const entry = document.getElementById(location.hash.slice(1));
  entry?.querySelector(":scope > details")?.setAttribute("open", "");
}
addEventListener("hashchange", openTarget);
openTarget();

const events = new EventSource("/_sandbox/events");
// It reconnects automatically, and may have missed events meanwhile.
for (const type of ["open", "entry", "reset"]) events.addEventListener(type, refreshSoon);
events.addEventListener("error", () => say(`${unreachable} This page reconnects automatically.`));
events.addEventListener("open", () => say(""));
