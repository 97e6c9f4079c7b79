import { message } from "@optique/core/message";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { ApiError, ConnectionError } from "../errors.ts";
import type { SandboxEvent } from "../sandbox/index.ts";
import { isRecord } from "../values.ts";
import { defaultSandboxUrl } from "../wire/credential.ts";
import { UsageError } from "./exit-codes.ts";
import { dotenv, json, setting, webUrl } from "./options.ts";

// A sandbox in another process, as its control routes have it.

/** Which one. */
export const sandboxUrl = setting(
  "--url URL",
  message`Where the sandbox listens. Default: SETTLEKIT_SANDBOX_URL, else ${defaultSandboxUrl}.`,
  webUrl,
).optional();

/** For commands that control one. */
export const controlOptions = { url: sandboxUrl, json, dotenv };

/** Reads from a running sandbox, or changes it when there is a body. */
export async function control<Answer>(
  url: URL | undefined,
  path: string,
  body?: object,
): Promise<Answer> {
  const response = await request(url, path, body);
  return (response.status === 204 ? undefined : await response.json()) as Answer;
}

/** The events of a running sandbox from now on. Ends when the sandbox does. */
export async function* eventsOf(url: URL | undefined): AsyncGenerator<SandboxEvent> {
  const { body } = await request(url, "events");
  const messages = body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  try {
    for await (const { event, data } of messages ?? []) {
      yield event === "reset" ? { type: "reset" } : JSON.parse(data);
    }
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

async function request(url: URL | undefined, path: string, body?: object): Promise<Response> {
  const target = new URL(`/_sandbox/${path}`, url ?? usualUrl());
  const headers = { "Content-Type": "application/json", "X-Sandbox-Control": "cli" };
  const init = body && { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(target, init).catch((cause: unknown) => {
    throw new ConnectionError(
      `No sandbox answers at ${target.origin}. Start one with: settlekit sandbox`,
      { code: "no_sandbox", cause },
    );
  });
  if (response.ok) return response;
  const answer: unknown = await response.json().catch(() => undefined);
  const { message: reason, code = "control_failed" } =
    isRecord(answer) && isRecord(answer.error) ? answer.error : {};
  throw new ApiError(
    typeof reason === "string"
      ? reason
      : `${target.origin} answered ${response.status}, which a sandbox does not. Check --url.`,
    { code: String(code), status: response.status, outcome: "rejected" },
  );
}
