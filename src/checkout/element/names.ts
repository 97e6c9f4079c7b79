import type { SettlekitError } from "../../errors.ts";
import { invalidOption, nearest, show } from "../../values.ts";
import { english } from "./messages.ts";

/** Properties that are attributes, too, in the order of the guide. */
const textNames = [
  "paymentId",
  "secret",
  "baseUrl",
  "environment",
  "headerPrefix",
  "lang",
  "theme",
  "returnUrl",
] as const;

/** Attributes of the element, such as `payment-id`. */
export const attributeNames = textNames.map((name) => name.replace(/[A-Z]/g, "-$&").toLowerCase());

/** Properties that a page sets. */
export const propertyNames = [...textNames, "messages", "rpcUrls"] as const;

/** Mistakes in an element's attribute and property names: only near misses, because pages add names of their own. */
export function misspeltNames(element: Element): SettlekitError[] {
  // Vue sets `:rpc-urls` as an attribute, which loses its value.
  const attributes = [...attributeNames, "rpcUrls"];
  return [
    ...misspelt("attribute", element.getAttributeNames(), attributes),
    ...misspelt("property", Object.keys(element), propertyNames),
    ...misspeltTheme(element.getAttribute("theme")),
  ];
}

/** The unknown names that are close to a known one. */
export function misspelt(
  kind: "attribute" | "property" | "prop",
  names: readonly string[],
  known: readonly string[],
): SettlekitError[] {
  return names.flatMap((name) => {
    const meant = nearest(name, known);
    return meant === undefined ? [] : [unknownName(kind, name, meant)];
  });
}

/** Mistakes in a shop's texts: unknown names, and values that are not text. */
export function wrongMessages(messages: object): SettlekitError[] {
  const known = Object.keys(english);
  return Object.entries(messages).flatMap(([name, text]) => {
    if (!known.includes(name)) return [unknownName("message", name, nearest(name, known))];
    if (typeof text === "string" || text === undefined) return [];
    return [invalidOption(name, `The message ${show(name)} must be a string, not ${show(text)}.`)];
  });
}

function misspeltTheme(theme: string | null): SettlekitError[] {
  if (theme === null || ["light", "dark", "auto", ""].includes(theme)) return [];
  return [
    invalidOption(
      "theme",
      `theme must be "light", "dark" or "auto", not ${show(theme)}. The element uses "auto".`,
    ),
  ];
}

function unknownName(kind: string, name: string, meant: string | undefined): SettlekitError {
  const cure = meant === undefined ? "Remove it." : `Did you mean ${meant}?`;
  const fact = `The checkout has no ${kind} ${show(name)}, so it is ignored.`;
  return invalidOption(name, `${fact} ${cure}`, "unknown_option");
}
