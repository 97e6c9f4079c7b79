/** Dollars with up to two decimals, as the forms' patterns allow them, in cents. */
export function centsOf(dollars: string): number {
  const [whole = "", fraction = ""] = dollars.trim().split(".");
  return Number(whole) * 100 + Number(fraction.padEnd(2, "0"));
}

/** A button that copies `value`, or the text of the element that `for` names. */
export class CopyButton extends HTMLElement {
  value = "";

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
      const copying = navigator.clipboard.writeText(source?.textContent ?? this.value);
      said.textContent = await copying.then(
        () => "Copied",
        () => "Select and copy it by hand",
      );
      clearTimeout(timer);
      timer = setTimeout(() => said.replaceChildren(), 2_000);
    });
    this.replaceChildren(button, said);
  }
}

/** The sandbox's time, which continues between refreshes unless it is frozen. */
export class SandboxClock extends HTMLElement {
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
