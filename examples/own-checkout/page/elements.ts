/** An element of checkout.html. */
export function element<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`checkout.html has no element with the id "${id}".`);
  return found as Kind;
}

/** Makes the copy buttons work, and confirms each copy for two seconds. */
export function setUpCopying(): void {
  for (const source of ["amount", "address"]) {
    const button = element(`copy-${source}`);
    const label = button.textContent;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(element(source).textContent ?? "");
      button.textContent = "Copied";
      setTimeout(() => {
        button.textContent = label;
      }, 2_000);
    });
  }
}
