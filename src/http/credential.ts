import { ConfigurationError } from "../errors/configuration-error.ts";
import { SettlekitError } from "../errors/settlekit-error.ts";
import type { CredentialSource } from "./settings.ts";
import type { Time } from "./time.ts";
import { within } from "./within.ts";

/**
 * Asks for the credential, which may be a call to a vault. Gives `undefined` when the time ran out or
 * the signal aborted first.
 *
 * @throws {ConfigurationError} when the source fails, or gives what cannot be a credential.
 */
export async function askForCredential(
  source: CredentialSource,
  time: Time,
  limitMs: number,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    const given = source.get();
    if (typeof given === "string") return given;
    return (await within(given, limitMs, time, signal))?.value;
  } catch (error) {
    if (SettlekitError.is(error)) throw error;
    throw new ConfigurationError(
      `The ${source.param} function failed, so nothing was sent. Its error is the cause of this one.`,
      { code: "credential_unavailable", param: source.param, cause: error },
    );
  }
}
