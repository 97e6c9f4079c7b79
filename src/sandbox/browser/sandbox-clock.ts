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
