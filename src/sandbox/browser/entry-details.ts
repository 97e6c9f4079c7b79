/** What was last put into a place, as the sandbox wrote it. */
const written = new WeakMap<Element, string>();

/** Fills an open entry with its details, or renews them. */
export async function showDetails(entry: HTMLDetailsElement): Promise<void> {
  const place = entry.querySelector(":scope > .details");
  const sequence = entry.parentElement?.id.replace("entry-", "");
  if (place === null || !entry.open) return;
  const answer = await fetch(`/_sandbox/entries/${sequence}`).catch(() => undefined);
  const text = await answer?.text();
  if (text === undefined || written.get(place) === text) return;
  written.set(place, text);
  const next = new DOMParser().parseFromString(text, "text/html").querySelector("main > .details");
  if (next === null) return;
  const focusedId = place.contains(document.activeElement) && document.activeElement?.id;
  const wasOpen = Array.from(place.querySelectorAll("details"), ({ open }) => open);
  place.replaceChildren(...next.childNodes);
  for (const [index, details] of place.querySelectorAll("details").entries()) {
    details.open = wasOpen[index] ?? false;
  }
  if (focusedId) document.getElementById(focusedId)?.focus({ preventScroll: true });
}

/** Renews whatever is open. */
export async function renewDetails(page: Document): Promise<void> {
  const open = page.querySelectorAll<HTMLDetailsElement>(".entry > details[open]");
  await Promise.all(Array.from(open, showDetails));
}

/** Takes what an entry shows along, when it is written anew. */
export function passOnDetails(before: Element, after: Element): void {
  const from = before.querySelector(":scope > details > .details");
  const to = after.querySelector(":scope > details > .details");
  if (from === null || to === null) return;
  to.replaceChildren(...from.childNodes);
  const text = written.get(from);
  if (text !== undefined) written.set(to, text);
}
