/** HTML that was made by `html`, so that everything from elsewhere in it is escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a template: `false`, `null` and `undefined` leave nothing behind. */
type Part = Html | string | number | false | null | undefined | readonly Part[];

/**
 * Writes HTML. Whatever is put into it is escaped, for text and for attributes in double quotes, unless it
 * was made by `html` itself.
 */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const text = literals.map((literal, index) => literal + textOf(parts[index]));
  return new Html(text.join(""));
}

function textOf(part: Part): string {
  if (part instanceof Html) return part.text;
  if (part === undefined || part === null || part === false) return "";
  if (typeof part === "object") return part.map(textOf).join("");
  return String(part).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
