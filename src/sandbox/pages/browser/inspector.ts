import { listenToCommands, say, unreachable } from "./control.ts";
import { listenToEvents, refreshSoon, showDetails } from "./live-page.ts";

/** The server's time at the latest refresh, and how far it is ahead of this machine's. */
let [refreshed, aheadMs] = ["", 0];

/** The sandbox's time keeps running between refreshes, unless it is frozen. */
setInterval(() => {
  const clock = document.querySelector<HTMLTimeElement>("#now:not(.frozen)");
  if (clock === null) return;
  if (clock.dateTime !== refreshed) aheadMs = Date.parse(clock.dateTime) - Date.now();
  refreshed = clock.dateTime;
  const now = new Date(Date.now() + aheadMs).toISOString();
  clock.textContent = now.slice(0, 19).replace("T", " ");
}, 250);

document.addEventListener("click", async ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLElement>("[data-copy]") : null;
  const said = button?.nextElementSibling;
  if (!said) return;
  const text = document.getElementById(button.dataset.copy ?? "")?.textContent ?? "";
  said.textContent = await navigator.clipboard.writeText(text).then(
    () => "Copied",
    () => "Copy failed",
  );
  setTimeout(() => said.replaceChildren(), 2_000);
});

listenToCommands();

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

let isLost = false;
listenToEvents(({ type }) => {
  // Opening the stream must not clear the message of a refused command.
  if (type === "error") say(`${unreachable} This page reconnects automatically.`);
  else if (isLost) say("");
  isLost = type === "error";
  // Refresh when the stream opens, too: the page may have missed events.
  if (!isLost) refreshSoon();
});
