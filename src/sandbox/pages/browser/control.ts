import { refresh } from "./live-page.ts";

export const unreachable = "The sandbox cannot be reached. It may have been stopped.";

/** Calls the sandbox's control API. @throws {Error} With a reason to show on the page. */
async function control(path: string, json = "{}"): Promise<Response> {
  const response = await fetch(`/_sandbox/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Sandbox-Control": "1" },
    body: json,
  }).catch(() => undefined);
  if (response?.ok) return response;
  if (response === undefined) throw new Error(unreachable);
  const body: { error?: { message: string } } | null = await response.json().catch(() => null);
  throw new Error(body?.error?.message ?? `The sandbox responded with ${response.status}.`);
}

/** Shows a problem, or announces a success to screen readers. */
export function say(problem: string, success = ""): void {
  for (const [id, text] of Object.entries({ said: problem, done: success })) {
    const line = document.getElementById(id);
    if (line) line.textContent = text;
  }
}

/** The commands whose effect the page does not show yet. */
const pending = new Set<string>();
let turn = Promise.resolve();

/** Runs commands one at a time, reports the result of each, and refreshes the page. */
function run(command: () => Promise<unknown>, name: string, success: string): void {
  // Ignore the second click of a double click.
  if (pending.has(name)) return;
  pending.add(name);
  turn = turn.then(async () => {
    try {
      await command();
      say("", success);
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
    await refresh();
    pending.delete(name);
  });
}

/** Lets the buttons of forms call the control API, with a `data-body` or the form's fields. */
export function listenToCommands(): void {
  document.addEventListener("submit", (event) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const { dataset, textContent } = event.submitter as HTMLElement;
    const { post: path = form.dataset.post ?? "", body, confirm: question } = dataset;
    if (question !== undefined && !confirm(question)) return;
    const fields = body === undefined ? fieldsOf(form) : JSON.parse(body);
    const pace = document.querySelector<HTMLInputElement>('input[name="steps"]:checked')?.value;
    const json = JSON.stringify({ ...fields, ...(path.endsWith("/simulate") && { steps: pace }) });
    run(() => control(path, json), `${path} ${json}`, `${textContent}: done`);
  });
  document.getElementById("save")?.addEventListener("click", () => run(save, "save", "Saved"));
  document.getElementById("load")?.addEventListener("click", load);
}

/**
 * A form's fields for the control API. `data-as` is a field's type; a field whose name starts with `...` contributes all
 * fields of its value. Empty fields are left out.
 */
function fieldsOf(form: HTMLFormElement): object {
  const fields = form.querySelectorAll<HTMLInputElement | HTMLSelectElement>("[data-as]");
  const entries = Array.from(fields).flatMap(({ name, value, dataset }) => {
    if (value === "") return [];
    const read = fieldValue(dataset.as, value);
    return name.startsWith("...") ? Object.entries(read as object) : [[name, read] as const];
  });
  return Object.fromEntries(entries);
}

function fieldValue(type: string | undefined, text: string): unknown {
  if (type === "json") return JSON.parse(text) ?? undefined;
  // Exact, because the form's pattern allows only two decimals.
  return type === "cents" ? Math.round(Number(text) * 100) : text;
}

async function save(): Promise<void> {
  const url = URL.createObjectURL(await (await control("save")).blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = `sandbox-${new Date().toISOString().slice(0, 19).replace(/[T:]/g, "-")}.json`;
  link.click();
  URL.revokeObjectURL(url);
}

function load(): void {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = "application/json,.json";
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file === undefined) return;
    if (!confirm("Replace everything in this sandbox with the contents of the file?")) return;
    run(async () => control("load", await file.text()), "load", "Loaded");
  });
  input.click();
}
