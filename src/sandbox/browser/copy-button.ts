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
