import { centsOf } from "./cents.ts";

/**
 * What a form says, as the control API takes it. `data-as` says what a field's text stands for; a name of `...` has
 * the fields of a value become fields of the body. Empty fields are left out.
 */
export function formBody(form: HTMLFormElement): object {
  const fields = form.querySelectorAll<HTMLInputElement | HTMLSelectElement>("[data-as]");
  const entries = Array.from(fields).flatMap(({ name, value, dataset }) => {
    if (value === "") return [];
    const read = readAs(dataset.as, value);
    return name.startsWith("...") ? Object.entries(read as object) : [[name, read] as const];
  });
  return Object.fromEntries(entries);
}

function readAs(kind: string | undefined, text: string): unknown {
  if (kind === "json") return JSON.parse(text) ?? undefined;
  return kind === "cents" ? centsOf(text) : text;
}
