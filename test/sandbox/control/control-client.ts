import type { Sandbox } from "settlekit/sandbox";
import { origin } from "../merchant.ts";

export const controlHeaders = { "Content-Type": "application/json", "X-Sandbox-Control": "1" };

/** Sends a POST to the sandbox's control API. */
export function control(
  sandbox: Sandbox,
  path: string,
  body: unknown = {},
  headers: Record<string, string> = controlHeaders,
): Promise<Response> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const init = { method: "POST", headers, body: text };
  return sandbox.fetch(new Request(`${origin}/_sandbox/${path}`, init));
}

/** Reads a list from the control API. */
export async function listed(sandbox: Sandbox, path: string): Promise<unknown> {
  const response = await sandbox.fetch(new Request(`${origin}/_sandbox/${path}`));
  return ((await response.json()) as { data: unknown }).data;
}
