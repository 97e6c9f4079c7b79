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

/** Observes the `lang` attributes around an element, across shadow trees. */
export function observeLanguage(element: Element, observer: MutationObserver): void {
  const root = element.getRootNode();
  observer.observe(root, { attributeFilter: ["lang"], subtree: true });
  const { host } = root as Partial<ShadowRoot>;
  if (host) observeLanguage(host, observer);
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

/** Loads a language's texts; the English ones if that fails, which `onFail` receives before it is retried. */
export async function loadMessages(
  language: Language,
  onFail?: (messages: Messages) => void,
): Promise<Messages> {
  if (language === "en") return english;
  const loader: () => Promise<{ readonly messages: Messages }> = loaders[language];
  const loaded = await load(loader, () => onFail?.(english));
  return loaded?.messages ?? english;
}
