import { ConfigurationError } from "../errors.ts";

/** Throws a ConfigurationError unless an option is right. Never given the value: it may be secret. */
export function checkOption(param: string, isRight: boolean, expected: string): asserts isRight {
  if (isRight) return;
  throw new ConfigurationError(`The option ${param} must be ${expected}.`, {
    code: "invalid_option",
    param,
  });
}
