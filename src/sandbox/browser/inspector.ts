import { control } from "./control.ts";
import { CopyButton } from "./copy-button.ts";
import { livePage } from "./live-page.ts";
import { SandboxClock } from "./sandbox-clock.ts";

// Before the elements below come to life, while the page is still as the sandbox wrote it.
const page = livePage(document);

customElements.define("copy-button", CopyButton);
customElements.define("sandbox-clock", SandboxClock);

async function post(path: string, body: object): Promise<void> {
  const trouble = await control(path, body);
  const said = document.getElementById("said");
  if (said) said.textContent = trouble ?? "";
  await page.refresh();
}

document.addEventListener("click", (event) => {
  const button =
    event.target instanceof Element && event.target.closest<HTMLElement>("button[data-post]");
  if (!button) return;
  const { post: path = "", body = "{}", confirm: question } = button.dataset;
  if (question === undefined || confirm(question)) void post(path, JSON.parse(body));
});

document.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target as HTMLFormElement;
  const values = Array.from(new FormData(form), ([name, value]) => {
    // A route is text; the other fields hold JSON.
    return [name, name === "route" ? value : JSON.parse(String(value))];
  });
  void post(form.dataset.post ?? "", Object.fromEntries(values));
});

/** A link to an entry shows it. */
function openTarget(): void {
  document
    .querySelector<HTMLDetailsElement>(`${location.hash || "#none"} > details`)
    ?.setAttribute("open", "");
}
addEventListener("hashchange", openTarget);

const events = new EventSource("/_sandbox/events");
// It also connects anew by itself, and may have missed something then.
for (const type of ["open", "entry", "reset"])
  events.addEventListener(type, () => page.refreshSoon());
