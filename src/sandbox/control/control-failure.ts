import { SettlekitError } from "../../errors.ts";
import { invalidRequest } from "../serving/refusal.ts";
import { errorAnswer } from "../serving/web-response.ts";

/** What is answered when the sandbox refuses what it is to do: its own words in the service's envelope. */
export function controlFailure(error: Error): Response {
  if (!SettlekitError.is(error)) return errorAnswer(error);
  const { code, message, param } = error;
  const facts = { code, message, ...(param === undefined ? {} : { param }) };
  return errorAnswer(invalidRequest(statusOf(error), facts));
}

function statusOf({ name }: SettlekitError): 404 | 409 | 422 {
  if (name === "NotFoundError") return 404;
  // Only how the sandbox was made can stand in the way then.
  return name === "ConfigurationError" ? 409 : 422;
}

export function unknownControlRoute(method: string, path: string): Response {
  return errorAnswer(
    invalidRequest(404, {
      code: "unknown_route",
      message: `This is the settlekit sandbox. It has no route ${method} ${path}; docs/sandbox.md lists them.`,
    }),
  );
}
