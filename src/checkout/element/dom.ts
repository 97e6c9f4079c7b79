import type { MessageName } from "./messages.ts";
import type { Texts } from "./texts.ts";

type Attributes = Readonly<Record<string, string>>;

/** An element with attributes and children. Text is never read as markup. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  element.append(...children);
  return element;
}

/** An SVG of one path, stroked or filled. */
export function drawing(path: string, viewBox: string, attributes: Attributes = {}): SVGSVGElement {
  const namespace = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(namespace, "svg");
  setAttributes(svg, { viewBox, "aria-hidden": "true", ...attributes });
  const shape = document.createElementNS(namespace, "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}

function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
}

/** Sets a text only if it differs, to leave screen readers and selections undisturbed. */
export function write(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function show(element: HTMLElement, isShown: boolean): void {
  element.hidden = !isShown;
}

/** Shows a text, or hides its element if there is none. */
export function showText(element: HTMLElement, text: string | undefined): void {
  write(element, text ?? "");
  show(element, text !== undefined);
}

/** Enables or disables a button. Setting `disabled` would take the focus from keyboard users. */
export function enable(element: HTMLElement, isEnabled: boolean): void {
  element.ariaDisabled = isEnabled ? null : "true";
}

/** A button that ignores the second click of a double click, which may have been meant for a button it has replaced. */
export function button(text: string, onClick: () => void): HTMLButtonElement {
  const element = h("button", { type: "button", part: "button" }, text);
  element.addEventListener("click", ({ detail }) => detail < 2 && onClick());
  return element;
}

/** A name and a value of a description list, with a button that copies it. */
export function factRow(name: Node | string, value: Node, copy?: CopyButton): HTMLElement {
  if (copy) copy.shown = value;
  return h("div", {}, h("dt", {}, name), h("dd", {}, value, ...(copy ? [copy.element] : [])));
}

export interface CopyButton {
  readonly element: HTMLButtonElement;
  /** The text to copy. */
  value: string;
  /** The element that shows the value, at the start of its text. */
  shown: Node | undefined;
}

/**
 * A button that copies `value` and confirms it for two seconds. If it cannot, it selects the value and says why.
 *
 * @param name Of the button's text for screen readers.
 * @param announce Receives the result, for screen readers.
 */
export function copyButton(
  name: MessageName,
  { say }: Texts,
  announce: (text: string) => void,
): CopyButton {
  const text = say("copy");
  let timer: ReturnType<typeof setTimeout> | undefined;
  const note = h("span", { class: "quiet" }, say("copyFailed"));
  const element = button(text, async () => {
    if (copy.value === "") return;
    const isDone = (await writeToClipboard(copy.value)) || copySelected(copy);
    element.textContent = isDone ? `✓ ${text}` : text;
    if (isDone) note.remove();
    else element.after(note);
    announce(say(isDone ? "copied" : "copyFailed"));
    clearTimeout(timer);
    timer = setTimeout(() => {
      element.textContent = text;
    }, 2_000);
  });
  setAttributes(element, { class: "copy", part: "button copy", "aria-label": say(name) });
  const copy: CopyButton = { element, value: "", shown: undefined };
  return copy;
}

async function writeToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Not allowed in this frame, or not a secure context.
    return false;
  }
}

/** Selects the shown value and copies it with the legacy command; the selection stays for the customer. */
function copySelected({ shown, value }: CopyButton): boolean {
  const text = shown?.firstChild;
  if (text) getSelection()?.setBaseAndExtent(text, 0, text, value.length);
  const replace = (event: ClipboardEvent) => {
    event.clipboardData?.setData("text/plain", value);
    event.preventDefault();
  };
  addEventListener("copy", replace, { capture: true });
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    removeEventListener("copy", replace, { capture: true });
  }
}
