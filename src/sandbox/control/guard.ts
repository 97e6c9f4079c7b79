import { invalidRequest } from "../serving/refusal.ts";

/** What no web page of another origin can send without being allowed to, which it never is. */
const controlHeader = "X-Sandbox-Control";

/**
 * Lets through what a program or the sandbox's own pages send, and nothing that another web page can have a
 * browser send.
 *
 * @throws {Refusal} 403 or 415.
 */
export function checkControlRequest({ method, headers, url }: Request): void {
  const origin = headers.get("Origin");
  if (origin !== null && URL.parse(origin)?.host !== new URL(url).host) throw otherOrigin(origin);
  if (method !== "POST") return;
  if (!headers.has(controlHeader)) throw headerMissing();
  const type = headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") throw otherType();
}

function otherOrigin(origin: string) {
  return invalidRequest(403, {
    code: "cross_origin",
    message: `Pages of ${origin} may not control the sandbox. Use its own pages, or a program.`,
  });
}

function headerMissing() {
  return invalidRequest(403, {
    code: "control_header_missing",
    message: `The header ${controlHeader} is missing. Send it with any value: no other web page can.`,
  });
}

function otherType() {
  return invalidRequest(415, {
    code: "invalid_content_type",
    message: "The control API takes JSON. Send Content-Type: application/json.",
  });
}
