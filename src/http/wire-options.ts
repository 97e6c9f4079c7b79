import { ConfigurationError } from "../errors.ts";
import { defaults, type HttpSettings } from "./settings.ts";

/** What to change when the service speaks otherwise than settlekit believes. */
export interface WireOptions {
  /** Prefix of the service's own headers. Default `X-Service`. */
  headerPrefix?: string | undefined;
  /** The answer header that names a request. Default `X-Request-Id`. */
  requestIdHeader?: string | undefined;
  /** How chain ids are sent: `8453` or `eip155:8453`. Both are understood. Default `number`. */
  chainIdFormat?: "number" | "caip2" | undefined;
  /**
   * Whether the service is known to create nothing twice for one Idempotency-Key when it creates
   * withdrawals. The interface document does not say (section 4.4), so the default is `unknown`, and a
   * withdrawal is never repeated. Say `honoured` only when the service has told you so.
   */
  withdrawalIdempotency?: "unknown" | "honoured" | undefined;
}

/** @throws {ConfigurationError} naming the option in `param`. */
export function checkWire(options: WireOptions = {}): HttpSettings["wire"] {
  const misspelt = Object.keys(options).find((name) => !(name in defaults.wire));
  if (misspelt !== undefined) {
    throw new ConfigurationError(
      `There is no option wire.${misspelt}. They are: ${Object.keys(defaults.wire).join(", ")}.`,
      { code: "unknown_option", param: `wire.${misspelt}` },
    );
  }
  const {
    headerPrefix = defaults.wire.headerPrefix,
    requestIdHeader = defaults.wire.requestIdHeader,
    chainIdFormat = defaults.wire.chainIdFormat,
    withdrawalIdempotency = defaults.wire.withdrawalIdempotency,
  } = options;
  const refused = (name: keyof WireOptions, rule: string) =>
    new ConfigurationError(`wire.${name} must be ${rule}.`, {
      code: "invalid_option",
      param: `wire.${name}`,
    });
  for (const [name, value] of Object.entries({ headerPrefix, requestIdHeader })) {
    if (!/^[A-Za-z0-9-]+$/.test(value)) {
      throw refused(name as keyof WireOptions, "letters, digits and hyphens, such as X-Service");
    }
  }
  if (chainIdFormat !== "number" && chainIdFormat !== "caip2") {
    throw refused("chainIdFormat", '"number" or "caip2"');
  }
  if (withdrawalIdempotency !== "unknown" && withdrawalIdempotency !== "honoured") {
    throw refused("withdrawalIdempotency", '"unknown" or "honoured"');
  }
  return Object.freeze({ headerPrefix, requestIdHeader, chainIdFormat, withdrawalIdempotency });
}
