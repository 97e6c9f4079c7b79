import { control, reading } from "./control.ts";

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
