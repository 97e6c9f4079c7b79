import { InvalidRequestError } from "../../src/errors.ts";

/** Returns the InvalidRequestError that an action throws. Throws if there is another error, or none. */
export function thrownBy(action: () => unknown): InvalidRequestError {
  try {
    action();
  } catch (error) {
    if (error instanceof InvalidRequestError) return error;
    throw error;
  }
  throw new Error("Expected an InvalidRequestError, but the action returned.");
}
