import { SettlekitError } from "./settlekit-error.ts";

/**
 * The client, the verifier or the sandbox is set up in a way that cannot work. `param` names the
 * option. Never contains the option's value where that is a secret.
 */
export class ConfigurationError extends SettlekitError {
  static override readonly kind: string = "ConfigurationError";
}
