/**
 * Draws a wallet's icon without loading an image, which a content security policy without `img-src data:` would report.
 * Pixels go to a canvas; from an SVG, only shapes and their colours are copied.
 */
export async function walletIcon(url: string): Promise<Element | undefined> {
  try {
    if (url.length > maxLength) return undefined;
    const [, head = "", body = ""] = /^([^,]*),(.*)$/s.exec(url) ?? [];
    const isBase64 = /;base64$/i.test(head);
    const bytes = isBase64
      ? Uint8Array.from(atob(decodeURIComponent(body)), (character) => character.charCodeAt(0))
      : new TextEncoder().encode(decodeURIComponent(body));
    return /^data:image\/svg\+xml\b/i.test(head)
      ? shapes(new TextDecoder().decode(bytes))
      : await pixels(bytes);
  } catch {
    // A broken icon is not worth an error.
    return undefined;
  }
}

const maxLength = 200_000;
const size = 48;
/** Browsers crash on elements that are nested thousands of times. */
const deepest = 50;

async function pixels(bytes: Uint8Array<ArrayBuffer>): Promise<Element> {
  const options = { resizeWidth: size, resizeHeight: size, resizeQuality: "high" } as const;
  const bitmap = await createImageBitmap(new Blob([bytes]), options);
  const canvas = document.createElement("canvas");
  canvas.width = size;
  canvas.height = size;
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
  bitmap.close();
  canvas.ariaHidden = "true";
  return canvas;
}

const namespace = "http://www.w3.org/2000/svg";
const allowedElements = new Set(
  "svg g path rect circle ellipse line polyline polygon defs linearGradient radialGradient stop clipPath".split(
    " ",
  ),
);
const allowedAttributes = new Set(
  (
    "viewBox d x y x1 x2 y1 y2 cx cy r rx ry fx fy width height points transform id offset fill fill-rule " +
    "fill-opacity stroke stroke-width stroke-linecap stroke-linejoin stroke-opacity opacity stop-color stop-opacity " +
    "gradientUnits gradientTransform clip-path clip-rule"
  ).split(" "),
);
let drawn = 0;

const comment = /<!--[\s\S]*?(?:-->|$)/g;
const tag = /<(\/?)([a-z]+)\b((?:[^<>"']|"[^"<]*"|'[^'<]*')*?)(\/?)>/gi;
const attribute = /\s([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** Without DOMParser: a page with Trusted Types forbids passing it text. */
function shapes(text: string): Element | undefined {
  // Icons of several wallets may use the same ids.
  const prefix = `icon${++drawn}-`;
  const root = document.createElementNS(namespace, "g");
  /** The enclosing elements; undefined for one that is not copied. */
  const around: (Element | undefined)[] = [root];
  for (const [, isEnd, name = "", attributes = "", isEmpty] of text
    .replace(comment, "")
    .matchAll(tag)) {
    const parent = around.at(-1);
    if (isEnd) around.pop();
    else {
      const isAllowed = allowedElements.has(name) && around.length < deepest;
      const copy = isAllowed ? shape(name, attributes, prefix) : undefined;
      if (copy) parent?.append(copy);
      if (!isEmpty) around.push(parent && copy);
    }
  }
  const svg = root.firstElementChild;
  if (svg?.localName !== "svg") return undefined;
  const [width, height] = [svg.getAttribute("width"), svg.getAttribute("height")];
  if (!svg.hasAttribute("viewBox"))
    svg.setAttribute("viewBox", `0 0 ${parseFloat(width ?? "24")} ${parseFloat(height ?? "24")}`);
  for (const name of ["width", "height"]) svg.setAttribute(name, String(size / 2));
  svg.ariaHidden = "true";
  return svg;
}

function shape(name: string, attributes: string, prefix: string): Element {
  const copy = document.createElementNS(namespace, name);
  for (const [, name = "", doubled, single = ""] of attributes.matchAll(attribute)) {
    // In practice, character references only stand for line breaks.
    const value = (doubled ?? single).replace(/&#?\w+;/g, " ");
    if (!allowedAttributes.has(name)) continue;
    if (name === "id") copy.setAttribute(name, prefix + value);
    // References may only point to the icon's own gradients and outlines.
    else if (
      !value.includes("(") ||
      name === "transform" ||
      name === "gradientTransform" ||
      /^rgba?\(/i.test(value)
    )
      copy.setAttribute(name, value);
    else if (/^url\(['"]?#[\w-]+['"]?\)$/.test(value)) {
      copy.setAttribute(name, value.replace(/#/, `#${prefix}`));
    }
  }
  return copy;
}
