import { english, type Messages } from "./messages.ts";

/** The element's languages, as BCP 47 tags. */
const languages = ["en", "de", "fr", "es", "pt", "it", "ja", "zh-Hans", "ar"] as const;
type Language = (typeof languages)[number];

const loaders: { readonly [Tag in Exclude<Language, "en">]: () => Promise<Messages> } = {
  de: async () => (await import("./languages/de.ts")).german,
  fr: async () => (await import("./languages/fr.ts")).french,
  es: async () => (await import("./languages/es.ts")).spanish,
  pt: async () => (await import("./languages/pt.ts")).portuguese,
  it: async () => (await import("./languages/it.ts")).italian,
  ja: async () => (await import("./languages/ja.ts")).japanese,
  "zh-Hans": async () => (await import("./languages/zh-hans.ts")).simplifiedChinese,
  ar: async () => (await import("./languages/ar.ts")).arabic,
};

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
  return languages.find((language) => language.toLowerCase().split("-")[0] === base) ?? "en";
}

/** The BCP 47 tag for numbers, which follow the region of a tag unless its language is not supported. */
export function localeFor(tag: string, language: Language): string {
  return language !== "en" || /^en\b/i.test(tag) ? tag : "en";
}

/** Loads a language's texts; the English ones if that fails. */
export async function loadMessages(language: Language): Promise<Messages> {
  if (language === "en") return english;
  return loaders[language]().catch(() => english);
}
