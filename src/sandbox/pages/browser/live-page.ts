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

/** A page that replaces its own parts by what the sandbox writes now. */
interface LivePage {
  refresh(): Promise<void>;
  /** Refreshes once for all that happens within a moment. */
  refreshSoon(): void;
}

const momentMs = 150;

/**
 * Follows the page's own URL. The children of every `data-live` element are known by their ids; one that
 * was written anew takes the place of the old one, open if that was open, with the focus if that had it.
 */
export function livePage(page: Document, renewed: () => void): LivePage {
  /** What the sandbox wrote, by id: the elements themselves change as they come to life. */
  let written = new Map<string, string>();
  for (const list of lists(page)) remember(list, written);
  let isDue = false;
  let asked = 0;
  let shown = 0;

  async function refresh(): Promise<void> {
    const mine = ++asked;
    const response = await fetch(location.pathname + location.search).catch(() => undefined);
    const text = response?.ok ? await response.text() : undefined;
    // A later answer, which tells more, may have come first.
    if (text === undefined || mine < shown) return;
    shown = mine;
    const next = new DOMParser().parseFromString(text, "text/html");
    const nowWritten = new Map<string, string>();
    for (const list of lists(next)) {
      remember(list, nowWritten);
      const old = page.querySelector(`[data-live="${list.dataset.live}"]`);
      if (old) update(old, list, (id) => written.get(id) === nowWritten.get(id));
    }
    written = nowWritten;
    renewed();
  }

  return {
    refresh,
    refreshSoon() {
      // Not put off by what happens meanwhile: where something always does, nothing would be shown.
      if (isDue) return;
      isDue = true;
      setTimeout(() => {
        isDue = false;
        void refresh();
      }, momentMs);
    },
  };
}

function lists(page: Document): NodeListOf<HTMLElement> {
  return page.querySelectorAll<HTMLElement>("[data-live]");
}

function remember(list: Element, written: Map<string, string>): void {
  for (const { id, outerHTML } of list.children) written.set(id, outerHTML);
}

function update(old: Element, next: Element, isUnchanged: (id: string) => boolean): void {
  if (next.childElementCount === 0 || Array.from(next.children).some(({ id }) => id === "")) {
    if (old.innerHTML !== next.innerHTML) old.replaceChildren(...next.childNodes);
    return;
  }
  const present = new Map(Array.from(old.children, (child) => [child.id, child]));
  let place = old.firstElementChild;
  for (const child of Array.from(next.children)) {
    const before = present.get(child.id);
    present.delete(child.id);
    const wanted = before && isUnchanged(child.id) ? before : child;
    if (wanted === before && wanted === place) {
      place = place.nextElementSibling;
      continue;
    }
    if (before && wanted !== before) {
      if (before === place) place = place.nextElementSibling;
      succeed(before, wanted);
    }
    old.insertBefore(wanted, place);
  }
  for (const gone of present.values()) gone.remove();
}

/** Puts an element in the place of another, with what the user did to that one. */
function succeed(before: Element, after: Element): void {
  const focused = before.contains(document.activeElement) ? document.activeElement : null;
  if (before.querySelector(":scope > details[open]")) {
    passOnDetails(before, after);
    after.querySelector(":scope > details")?.setAttribute("open", "");
  }
  before.replaceWith(after);
  if (focused === null) return;
  const same = focused.id === "" ? null : document.getElementById(focused.id);
  const fallback = after.querySelector<HTMLElement>("summary, a, button");
  (same ?? fallback)?.focus({ preventScroll: true });
}
