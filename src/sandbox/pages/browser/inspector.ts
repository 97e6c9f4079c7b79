import { listenToCommands, say, unreachable } from "./control.ts";
import { listenToEvents, refreshSoon, showDetails } from "./live-page.ts";

/** A button that copies the text of the element named by `for`. */
class CopyButton extends HTMLElement {
  connectedCallback(): void {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.setAttribute("aria-label", this.getAttribute("label") ?? "Copy");
    const said = document.createElement("span");
    said.className = "said";
    said.role = "status";
    let timer: ReturnType<typeof setTimeout> | undefined;
    button.addEventListener("click", async () => {
      const source = document.getElementById(this.getAttribute("for") ?? "");
      said.textContent = await navigator.clipboard.writeText(source?.textContent ?? "").then(
        () => "Copied",
        () => "Copy failed",
      );
      clearTimeout(timer);
      timer = setTimeout(() => said.replaceChildren(), 2_000);
    });
    this.replaceChildren(button, said);
  }
}

/** The sandbox's time, which keeps running between refreshes unless it is frozen. */
class SandboxClock extends HTMLElement {
  static readonly observedAttributes = ["now"];
  #offsetMs = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  attributeChangedCallback(): void {
    this.#offsetMs = Date.parse(this.getAttribute("now") ?? "") - Date.now();
  }

  connectedCallback(): void {
    this.#timer = setInterval(() => {
      if (this.hasAttribute("frozen")) return;
      const now = new Date(Date.now() + this.#offsetMs).toISOString();
      this.textContent = now.slice(0, 19).replace("T", " ");
    }, 250);
  }

  disconnectedCallback(): void {
    clearInterval(this.#timer);
  }
}

customElements.define("copy-button", CopyButton);
customElements.define("sandbox-clock", SandboxClock);
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

listenToEvents(({ type }) => {
  if (type === "error") return say(`${unreachable} This page reconnects automatically.`);
  if (type === "open") say("");
  // Refresh when the stream opens, too: the page may have missed events.
  refreshSoon();
});
