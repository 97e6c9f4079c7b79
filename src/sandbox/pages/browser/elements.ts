/** The element that the page names `data-part` of an element. A page without it is broken. */
export function part<Kind extends Element = HTMLElement>(of: ParentNode, name: string): Kind {
  const found = of.querySelector<Kind>(`[data-part="${name}"]`);
  if (found === null) throw new Error(`The page has no part ${name}.`);
  return found;
}

/** Dollars with up to two decimals, as the forms let them pass, in cents. */
export function centsOf(dollars: string): number {
  const [whole = "", fraction = ""] = dollars.trim().split(".");
  return Number(whole) * 100 + Number(fraction.padEnd(2, "0"));
}

/** A button that copies `value`, and says so for a while. */
export class CopyButton extends HTMLElement {
  value = "";

  connectedCallback(): void {
    const label = this.getAttribute("label") ?? "Copy";
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.setAttribute("aria-label", label);
    const said = document.createElement("span");
    said.className = "said";
    said.role = "status";
    let timer: ReturnType<typeof setTimeout> | undefined;
    button.addEventListener("click", async () => {
      const isCopied = await navigator.clipboard.writeText(this.#text()).then(
        () => true,
        () => false,
      );
      said.textContent = isCopied ? "Copied" : "Select and copy it by hand";
      clearTimeout(timer);
      timer = setTimeout(() => {
        said.textContent = "";
      }, 2_000);
    });
    this.replaceChildren(button, said);
  }

  /** What it was given, or the text of the element that `for` names. */
  #text(): string {
    const source = this.getAttribute("for");
    return source === null ? this.value : (document.getElementById(source)?.textContent ?? "");
  }
}

const delaySeconds = 3;

/** The way back to the shop: a link that is followed by itself after a payment, unless told to stay. */
export class ReturnLink extends HTMLElement {
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Starts the way back. May be called again. */
  start(): void {
    if (this.#timer !== undefined) return;
    const note = part(this, "return-note");
    const stay = part<HTMLButtonElement>(this, "stay");
    let seconds = delaySeconds;
    const tick = () => {
      note.textContent = `in ${seconds} s`;
      if (seconds > 0) {
        seconds--;
        return;
      }
      clearInterval(this.#timer);
      location.assign(part<HTMLAnchorElement>(this, "return").href);
    };
    stay.hidden = false;
    stay.addEventListener("click", () => {
      clearInterval(this.#timer);
      note.textContent = "";
      stay.hidden = true;
      part(this, "return").focus();
    });
    this.#timer = setInterval(tick, 1_000);
    tick();
  }

  disconnectedCallback(): void {
    clearInterval(this.#timer);
  }
}

/** The sandbox's time. It runs on between refreshes, unless it is frozen. */
export class SandboxClock extends HTMLElement {
  #timer: ReturnType<typeof setInterval> | undefined;

  connectedCallback(): void {
    const startMs = Date.parse(this.getAttribute("now") ?? "");
    if (this.hasAttribute("frozen") || Number.isNaN(startMs)) return;
    const offsetMs = startMs - Date.now();
    this.#timer = setInterval(() => {
      const now = new Date(Date.now() + offsetMs).toISOString();
      this.textContent = now.slice(0, 19).replace("T", " ");
    }, 250);
  }

  disconnectedCallback(): void {
    clearInterval(this.#timer);
  }
}
