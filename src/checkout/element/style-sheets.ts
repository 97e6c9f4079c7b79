import { styleSheet } from "./styles.ts";

const styleSheets = new WeakMap<Document, CSSStyleSheet>();

/** The style sheet that all elements of a document share; undefined for a document that no window shows. */
export function styleSheetFor(document: Document): CSSStyleSheet | undefined {
  const { defaultView } = document;
  const known = styleSheets.get(document);
  if (known || !defaultView) return known;
  const sheet = new defaultView.CSSStyleSheet();
  sheet.replaceSync([...styleSheet().cssRules].map(({ cssText }) => cssText).join("\n"));
  styleSheets.set(document, sheet);
  return sheet;
}
