import { centsOf } from "./elements.ts";

/**
 * Has the sandbox do something, over its control API.
 *
 * @param body An object, or JSON.
 * @returns What went wrong, in words; `undefined` when nothing did.
 */
export async function control(
  path: string,
  body: object | string = {},
): Promise<string | undefined> {
  const answer = await reading(path, body);
  return typeof answer === "string" ? answer : undefined;
}

export const unreachable = "The sandbox cannot be reached. It may have been stopped.";

/** The same, for what the sandbox answers: the answer, or what went wrong. */
export async function reading(
  path: string,
  body: object | string = {},
): Promise<Response | string> {
  try {
    const response = await fetch(`/_sandbox/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Sandbox-Control": "1" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    if (response.ok) return response;
    const { error } = (await response.json()) as { error: { message: string } };
    return error.message;
  } catch {
    return unreachable;
  }
}

/** A list that the control API gives; undefined when it cannot be had. */
export async function listOf<Item>(path: string): Promise<readonly Item[] | undefined> {
  const response = await fetch(`/_sandbox/${path}`).catch(() => undefined);
  if (!response?.ok) return undefined;
  return ((await response.json()) as { data: readonly Item[] }).data;
}

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

/**
 * Has the browser save everything in the sandbox as a file.
 *
 * @returns What went wrong, in words.
 */
export async function saveToFile(): Promise<string | undefined> {
  const answer = await reading("save");
  if (typeof answer === "string") return answer;
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = `sandbox-${new Date().toISOString().slice(0, 19).replace(/[T:]/g, "-")}.json`;
  link.click();
  URL.revokeObjectURL(url);
  return undefined;
}

/**
 * Asks for such a file and puts what it holds in the place of everything in the sandbox.
 *
 * @returns What went wrong, in words.
 */
export async function loadFrom(): Promise<string | undefined> {
  const file = await chosenFile();
  if (file === undefined) return undefined;
  if (!confirm("Replace everything in this sandbox by what the file holds?")) return undefined;
  return control("load", await file.text());
}

function chosenFile(): Promise<File | undefined> {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = "application/json,.json";
  return new Promise((resolve) => {
    input.addEventListener("change", () => resolve(input.files?.[0]));
    input.addEventListener("cancel", () => resolve(undefined));
    input.click();
  });
}
