import type { Context, Next } from "hono";
import { codeForStatus } from "../../wire/envelope.ts";
import type { AnswerFault, Fault } from "../faults/fault.ts";
import {
  answerJson,
  answerRefusal,
  answerText,
  evidenceHeader,
  type ServiceEnv,
} from "./answers.ts";

/** Serves a request with a fault. `next` makes it take effect. */
export async function playFault(fault: Fault, c: Context<ServiceEnv>, next: Next): Promise<void> {
  if ("latencyMs" in fault) {
    if (fault.when === "before") await wait(fault.latencyMs);
    await next();
    if (fault.when === "after") await wait(fault.latencyMs);
  } else if ("status" in fault) {
    if (fault.when === "after") await next();
    // hono merges the headers of the answer that was there before.
    for (const name of ["Content-Type", "Allow", evidenceHeader]) c.res.headers.delete(name);
    c.res = answerOf(fault, c);
  } else {
    if (fault.connection === "truncated") c.env.broken = "end within the answer";
    else if (fault.when === "mid-answer") c.env.broken = "reset within the answer";
    else c.env.broken = "reset before the answer";
    if (fault.connection === "reset" && fault.when === "before") c.res = c.body(null);
    else await next();
  }
}

function answerOf({ status, retryAfter, body }: AnswerFault, c: Context<ServiceEnv>): Response {
  const headers = retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) };
  const assumed = { [evidenceHeader]: "assumed", ...headers };
  if (typeof body === "string") {
    return answerText(c, status, body, { "Content-Type": "text/plain", ...assumed });
  }
  if (body !== undefined) return answerJson(c, status, body, assumed);
  // As the service itself would answer.
  const message =
    status === 429
      ? "Too many requests. Wait as long as Retry-After says, or longer with every refusal."
      : `The settlekit sandbox was told to answer this request with ${status}.`;
  return answerRefusal(c, status, { code: codeForStatus(status), message, headers });
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
