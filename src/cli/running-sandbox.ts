import { EventSourceParserStream } from "eventsource-parser/stream";
import { ApiError, ConnectionError, TimeoutError } from "../errors.ts";
import { classForStatus } from "../http/call-errors.ts";
import type { SandboxEvent } from "../sandbox/index.ts";
import { isRecord, parsedJson } from "../values.ts";
import { defaultSandboxUrl } from "../wire/credential.ts";
import { setting } from "./command.ts";
import { UsageError } from "./exit-codes.ts";
import { dotenv, json, webUrl } from "./options.ts";

// Controls a sandbox in another process through its control routes.

export const sandboxUrl = setting(
  "--url URL",
  `Where the sandbox listens. Default: SETTLEKIT_SANDBOX_URL, else ${defaultSandboxUrl}.`,
  webUrl,
).optional();

export const controlOptions = { url: sandboxUrl, json, dotenv };

/** Reads from a running sandbox, or changes it if there is a body. */
export function control<Answer>(
  path: string,
  { url, body, limitMs = 60_000 }: { url?: URL | undefined; body?: object; limitMs?: number } = {},
): Promise<Answer> {
  const init = body && { method: "POST", body: JSON.stringify(body) };
  return request(url, path, { ...init, signal: AbortSignal.timeout(limitMs) }, async (response) => {
    if (response.status === 204) return undefined as Answer;
    const answer = parsedJson(await response.text());
    if (answer === undefined) throw noSandbox(response);
    return answer as Answer;
  });
}

/** The events of a running sandbox from now on. Ends when the sandbox does. */
export async function* eventsOf(url: URL | undefined): AsyncGenerator<SandboxEvent> {
  const messages = await request(url, "events", {}, (response) => {
    const { body, headers } = response;
    if (!headers.get("Content-Type")?.startsWith("text/event-stream")) throw noSandbox(response);
    return body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  });
  try {
    for await (const { data } of messages ?? []) yield JSON.parse(data);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

/** @throws {UsageError} */
function usualUrl(): URL {
  const result = webUrl.parse(process.env.SETTLEKIT_SANDBOX_URL || defaultSandboxUrl);
  if (result.success) return result.value;
  throw new UsageError(
    `SETTLEKIT_SANDBOX_URL must be a complete http or https URL without credentials, such as ${defaultSandboxUrl}.`,
  );
}

/** Sends a request, and reads the response to it if it succeeded. */
async function request<Answer>(
  url: URL | undefined,
  path: string,
  init: RequestInit,
  read: (response: Response) => Answer | Promise<Answer>,
): Promise<Answer> {
  const target = new URL(`/_sandbox/${path}`, url ?? usualUrl());
  const { origin } = target;
  const headers = { "Content-Type": "application/json", "X-Sandbox-Control": "cli" };
  try {
    const response = await fetch(target, { headers, ...init });
    if (response.ok) return await read(response);
    const answer = parsedJson(await response.text());
    const { message: reason, code = "control_failed" } =
      isRecord(answer) && isRecord(answer.error) ? answer.error : {};
    if (typeof reason !== "string") throw noSandbox(response);
    const { status } = response;
    const ErrorClass = classForStatus(status);
    const where = `This is the sandbox at ${origin}; --url or SETTLEKIT_SANDBOX_URL selects another.`;
    const message = status === 404 ? `${reason} ${where}` : reason;
    throw new ErrorClass(message, { code: String(code), status, outcome: "rejected" });
  } catch (cause) {
    if (ApiError.is(cause)) throw cause;
    if (init.signal?.aborted) {
      throw new TimeoutError(
        `${origin} did not respond in time. If it is a sandbox, it may still carry out the command: see ${origin}/_sandbox.`,
        { code: "deadline_exceeded", outcome: "unknown", cause },
      );
    }
    throw new ConnectionError(
      `No sandbox answers at ${origin}. Start one with: settlekit sandbox`,
      { code: "no_sandbox", cause },
    );
  }
}

/** The error for another server at the address, such as the shop. */
function noSandbox({ url, status }: Response): ApiError {
  return new ApiError(
    `${new URL(url).origin} responded with ${status}, but it is not a sandbox. Check --url.`,
    { code: "control_failed", status, outcome: "rejected" },
  );
}
