import { load } from "./load.ts";
import { english, type Messages } from "./messages.ts";

/** The languages besides English, by BCP 47 tag. */
const loaders = {
  de: () => import("./languages/de.ts"),
  fr: () => import("./languages/fr.ts"),
  es: () => import("./languages/es.ts"),
  pt: () => import("./languages/pt.ts"),
  it: () => import("./languages/it.ts"),
  ja: () => import("./languages/ja.ts"),
  "zh-Hans": () => import("./languages/zh-hans.ts"),
  ar: () => import("./languages/ar.ts"),
};
type Language = "en" | keyof typeof loaders;

/** The page's language at an element, across shadow trees; the browser's if the page declares none. */
export function languageAt(element: Element): string {
  const found = element.closest("[lang]")?.getAttribute("lang");
  if (found) return found.replaceAll("_", "-");
  const { host } = element.getRootNode() as Partial<ShadowRoot>;
  return host ? languageAt(host) : navigator.language;
}

/** The element's language for a BCP 47 tag such as `de-AT`; English if it is not supported. */
export function languageFor(tag: string): Language {
  const [base = ""] = tag.toLowerCase().split("-");
  const languages = Object.keys(loaders) as Language[];
  return languages.find((language) => language.split("-")[0] === base) ?? "en";
}

/** The BCP 47 tag for numbers, which follow the region of a tag unless its language is not supported. */
export function localeFor(tag: string, language: Language): string {
  return language !== "en" || /^en\b/i.test(tag) ? tag : "en";
}

/** Loads a language's texts; the English ones if that fails. */
export async function loadMessages(language: Language): Promise<Messages> {
  if (language === "en") return english;
  const loaded = await load<{ readonly messages: Messages }>(loaders[language]);
  return loaded?.messages ?? english;
}
