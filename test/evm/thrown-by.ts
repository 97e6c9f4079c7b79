import { InvalidRequestError } from "../../src/errors.ts";

/** The refusal that an action ends in; anything else it throws, or nothing, fails the test. */
export function thrownBy(action: () => unknown): InvalidRequestError {
  try {
    action();
  } catch (error) {
    if (error instanceof InvalidRequestError) return error;
    throw error;
  }
  throw new Error("Expected a refusal, but the action returned.");
}
