import { Idiomorph } from "idiomorph";

/** Preserves the state that only this page has: open details, chosen options and what was copied. */
const callbacks = {
  beforeNodeMorphed: (node: Element) =>
    !(node instanceof Element && node.matches(".entry .details, .copy")),
  beforeAttributeUpdated: (name: string) => !["open", "selected"].includes(name),
};

function morph(old: Element, next: Element): void {
  const focused = document.activeElement;
  const around: Element[] = [];
  for (let it = focused; it !== null && it !== document.body; it = it.parentElement)
    around.push(it);
  Idiomorph.morph(old, [...next.childNodes], { morphStyle: "innerHTML", callbacks });
  if (focused?.isConnected && focused.matches(":enabled, :not(button)")) return;
  // Otherwise the focus would be lost: move it to the nearest remaining control.
  const near = around
    .filter((it) => it.isConnected)
    .map((it) => it.querySelector<HTMLElement>("summary, a, button:enabled"))
    .find((it) => it !== null);
  near?.focus({ preventScroll: true });
}

let asked = 0;
let shown = 0;

/** Updates every `data-live` element from the page's own URL. */
export async function refresh(): Promise<void> {
  const mine = ++asked;
  const next = await pageAt(location.pathname + location.search);
  // The response to a later request may have arrived first.
  if (next === undefined || mine < shown) return;
  shown = mine;
  for (const part of next.querySelectorAll<HTMLElement>("[data-live]")) {
    const old = document.querySelector(`[data-live="${part.dataset.live}"]`);
    if (old) morph(old, part);
  }
  await Promise.all(Array.from(document.querySelectorAll(".entry > details[open]"), showDetails));
}

const delayMs = 150;
let isDue = false;

/** Refreshes once for several events in quick succession. */
export function refreshSoon(): void {
  // Not a debounce: under constant traffic, the page would never refresh.
  if (isDue) return;
  isDue = true;
  setTimeout(() => {
    isDue = false;
    void refresh();
  }, delayMs);
}

/**
 * Listens to the sandbox's events while the page is visible. Browsers limit the connections to a server to six for all
 * tabs together, so hidden tabs keep none open.
 */
export function listenToEvents(listener: (event: Event & { data?: string }) => void): void {
  let stream: EventSource | undefined;
  const follow = () => {
    stream?.close();
    if (document.hidden) return;
    stream = new EventSource("/_sandbox/events");
    for (const type of ["open", "message", "error"]) stream.addEventListener(type, listener);
  };
  document.addEventListener("visibilitychange", follow);
  follow();
}

/** Loads or updates the details of an open entry of the timeline. */
export async function showDetails(entry: Element): Promise<void> {
  const sequence = entry.parentElement?.id.replace("entry-", "");
  const next = await pageAt(`/_sandbox/entries/${sequence}`);
  const details = next?.querySelector("main > .details");
  const place = entry.querySelector(":scope > .details");
  if (details && place) morph(place, details);
}

async function pageAt(path: string): Promise<Document | undefined> {
  const read = async (response: Response) => (response.ok ? response.text() : undefined);
  const html = await fetch(path)
    .then(read)
    .catch(() => undefined);
  return html === undefined ? undefined : new DOMParser().parseFromString(html, "text/html");
}
