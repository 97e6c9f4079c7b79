/** The element that the page names `data-part` of an element. A page without it is broken. */
export function part<Kind extends Element = HTMLElement>(of: ParentNode, name: string): Kind {
  const found = of.querySelector<Kind>(`[data-part="${name}"]`);
  if (found === null) throw new Error(`The page has no part ${name}.`);
  return found;
}
