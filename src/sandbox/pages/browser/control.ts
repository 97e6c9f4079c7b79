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

function post(path: string, json: string, button: HTMLElement | null): void {
  run(() => control(path, json), `${path} ${json}`, `${button?.textContent}: done`);
}

/** Lets `data-post` buttons and forms call the control API. */
export function listenToCommands(): void {
  document.addEventListener("click", (event) => {
    const { target } = event;
    const button = target instanceof Element && target.closest<HTMLElement>("button[data-post]");
    if (!button) return;
    const { post: path = "", body = "{}", confirm: question } = button.dataset;
    if (question !== undefined && !confirm(question)) return;
    const pace = document.querySelector<HTMLInputElement>('input[name="steps"]:checked')?.value;
    const whole = { ...JSON.parse(body), ...(path.endsWith("/simulate") && { steps: pace }) };
    post(path, JSON.stringify(whole), button);
  });
  document.addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    const path = form.dataset.post;
    if (path === undefined) return;
    event.preventDefault();
    post(path, bodyOf(form), event.submitter);
  });
  document.getElementById("save")?.addEventListener("click", () => run(save, "save", "Saved"));
  document.getElementById("load")?.addEventListener("click", load);
}

/**
 * A form's fields as JSON for the control API. `data-as` is a field's type; a field whose name starts with `...`
 * contributes all fields of its value. Empty fields are left out.
 */
function bodyOf(form: HTMLFormElement): string {
  const fields = form.querySelectorAll<HTMLInputElement | HTMLSelectElement>("[data-as]");
  const entries = Array.from(fields).flatMap(({ name, value, dataset }) => {
    if (value === "") return [];
    const read = fieldValue(dataset.as, value);
    return name.startsWith("...") ? Object.entries(read as object) : [[name, read] as const];
  });
  return JSON.stringify(Object.fromEntries(entries));
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
