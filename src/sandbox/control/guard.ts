import type { Context, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { SettlekitError } from "../../errors.ts";
import { answerError, answerRefusal, Refusal, type ServiceEnv } from "../service/answers.ts";
import { maxBodyBytes } from "../service/validation.ts";

/** A saved sandbox is larger than any request of the service: some 10,000 payments with everything about them. */
const maxSavedBytes = 128 * 1_048_576;

const limits = [maxBodyBytes, maxSavedBytes].map((maxSize) =>
  bodyLimit({
    maxSize,
    onError() {
      throw new Refusal(413, {
        code: "body_too_large",
        message: `The body is larger than ${maxSize} bytes. Call the sandbox in process instead.`,
      });
    },
  }),
);

export const limitBody: MiddlewareHandler<ServiceEnv> = (c, next) => {
  const [usual, saved] = limits;
  const limit = c.req.path.endsWith("/load") ? saved : usual;
  return limit ? limit(c, next) : next();
};

/** No web page of another origin can send it without a preflight, which is never answered. */
const controlHeader = "X-Sandbox-Control";

/** Allows requests of programs and of the sandbox's own pages, and none that another web page could cause. */
export const checkControlRequest: MiddlewareHandler<ServiceEnv> = async ({ req }, next) => {
  const origin = req.header("Origin");
  if (origin !== undefined && URL.parse(origin)?.host !== new URL(req.url).host) {
    throw new Refusal(403, {
      code: "cross_origin",
      message: `Pages of ${origin} may not control the sandbox. Use its own pages, or a program.`,
    });
  }
  if (req.method === "POST" && req.header(controlHeader) === undefined) {
    throw new Refusal(403, {
      code: "control_header_missing",
      message: `The header ${controlHeader} is missing. Send it with any value: no other web page can.`,
    });
  }
  const type = req.header("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  if (req.method === "POST" && type !== "application/json") {
    throw new Refusal(415, {
      code: "invalid_content_type",
      message: "The control API takes JSON. Send Content-Type: application/json.",
    });
  }
  await next();
};

/** Answers an error of the sandbox itself with its message, in the service's envelope. */
export function answerControlError(error: unknown, c: Context<ServiceEnv>): Response {
  if (!SettlekitError.is(error)) return answerError(error, c);
  const { name, code, message, param } = error;
  // A ConfigurationError is about the options that the sandbox was made with.
  const status = { NotFoundError: 404, ConfigurationError: 409 }[name] ?? 422;
  return answerRefusal(c, status, { code, message, param });
}
