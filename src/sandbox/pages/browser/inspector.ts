import { control, formBody, loadFrom, saveToFile, unreachable } from "./control.ts";
import { CopyButton, SandboxClock } from "./elements.ts";
import { livePage, renewDetails, showDetails } from "./live-page.ts";

// Before the elements below come to life, while the page is still as the sandbox wrote it.
const page = livePage(document, () => void renewDetails(document));

customElements.define("copy-button", CopyButton);
customElements.define("sandbox-clock", SandboxClock);

/** Shows what went wrong, if anything did; tells those who do not see the page what went well. */
function say(trouble: string | undefined, done = ""): void {
  for (const [id, text] of Object.entries({ said: trouble ?? "", done: trouble ? "" : done })) {
    const line = document.getElementById(id);
    if (line) line.textContent = text;
  }
}

async function post(path: string, body: object, name: string): Promise<void> {
  say(await control(path, body), `${name}: done`);
  await page.refresh();
}

/** How what is played comes about. */
function pace(): object {
  const chosen = document.querySelector<HTMLInputElement>('input[name="steps"]:checked');
  return { steps: chosen?.value };
}

document.addEventListener("click", (event) => {
  const button =
    event.target instanceof Element && event.target.closest<HTMLElement>("button[data-post]");
  if (!button) return;
  const { post: path = "", body = "{}", confirm: question, played } = button.dataset;
  if (question !== undefined && !confirm(question)) return;
  const whole = { ...JSON.parse(body), ...(played !== undefined && pace()) };
  void post(path, whole, button.textContent);
});

document.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target as HTMLFormElement;
  void post(form.dataset.post ?? "", formBody(form), event.submitter?.textContent ?? "");
});

document.getElementById("save")?.addEventListener("click", async () => {
  say(await saveToFile(), "Saved");
});
document.getElementById("load")?.addEventListener("click", async () => {
  say(await loadFrom());
  await page.refresh();
});

/** Shows what belongs together with the entry that is looked at. */
function showThread({ target }: Event): void {
  const entry = target instanceof Element ? target.closest<HTMLElement>("[data-thread]") : null;
  for (const other of document.querySelectorAll<HTMLElement>("[data-thread]")) {
    const isNear = entry !== null && other.dataset.thread === entry.dataset.thread;
    other.classList.toggle("near", isNear);
  }
}
for (const type of ["pointerover", "focusin"]) document.addEventListener(type, showThread);

// The event of an entry that opens does not bubble.
document.addEventListener(
  "toggle",
  ({ target }) => {
    const isEntry = target instanceof HTMLDetailsElement && target.matches(".entry > details");
    if (isEntry) void showDetails(target);
  },
  true,
);

/** A link to an entry shows it. */
function openTarget(): void {
  const entry = document.getElementById(location.hash.slice(1));
  entry?.querySelector(":scope > details")?.setAttribute("open", "");
}
addEventListener("hashchange", openTarget);
openTarget();

const events = new EventSource("/_sandbox/events");
// It also connects anew by itself, and may have missed something then.
for (const type of ["open", "entry", "reset"])
  events.addEventListener(type, () => page.refreshSoon());
events.addEventListener("error", () => say(`${unreachable} This page goes on when it is back.`));
events.addEventListener("open", () => say(undefined));
