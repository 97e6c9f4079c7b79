import { ConfigurationError, type Outcome, SettlekitError } from "../errors.ts";

import type { CredentialSource } from "./settings.ts";
import type { Time } from "./time.ts";
import { within } from "./within.ts";

interface Asking {
  readonly limitMs: number;
  readonly signal: AbortSignal | undefined;
  /** What the call has come to so far: a token is also asked for after a 401. */
  facts(): {
    readonly operation: string;
    readonly attempts: number;
    readonly outcome: Outcome;
  };
}

/**
 * Asks for the credential, which may be a call to a vault. Gives `undefined` when the time ran out or
 * the signal aborted first.
 *
 * @throws {ConfigurationError} when the source fails, or gives what cannot be a credential.
 */
export async function askForCredential(
  source: CredentialSource,
  time: Time,
  { limitMs, signal, facts }: Asking,
): Promise<string | undefined> {
  try {
    const given = source.get();
    if (typeof given === "string") return given;
    return (await within(given, limitMs, time, signal))?.value;
  } catch (error) {
    if (SettlekitError.is(error)) throw error;
    const { operation, attempts, outcome } = facts();
    throw new ConfigurationError(
      `${operation} got no credential: the ${source.param} function failed. Its error is the cause of ` +
        "this one.",
      {
        code: "credential_unavailable",
        param: source.param,
        operation,
        attempts,
        outcome,
        cause: error,
      },
    );
  }
}
