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
