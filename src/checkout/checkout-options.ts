import * as z from "zod/mini";
import { checkBaseUrl } from "../http/base-url.ts";
import {
  type ConnectionOptions,
  connectionFields,
  connectionSettings,
  type HttpSettings,
} from "../http/settings.ts";
import { paymentSecret } from "../resources/arguments.ts";
import { invalidOption } from "../values.ts";
import { defaultSandboxUrl, type Environment } from "../wire/credential.ts";
import { checkOptions, type Same } from "../wire/fields.ts";

/** The payment, and the service's address. */
export interface CheckoutOptions extends ConnectionOptions {
  /** The `paymentId` returned when the payment was created. */
  paymentId: string;
  /** The `secret` returned when the payment was created. Never the merchant secret key. */
  secret: string;
  /** The service's URL: https, or http on this machine. Only the sandbox has a default. */
  baseUrl?: string | undefined;
  /** With `sandbox`, `baseUrl` may be omitted: it defaults to the sandbox on this machine. */
  environment?: Environment | undefined;
}

const checkoutSchema = z.strictObject({
  // Checked below by rules whose messages never show the values.
  paymentId: z.optional(z.custom<string>()) as z.ZodMiniType<string, string>,
  secret: z.optional(z.custom<string>()) as z.ZodMiniType<string, string>,
  environment: z.optional(
    z.enum(["production", "testnet", "sandbox"], {
      error: 'environment must be "production", "testnet" or "sandbox".',
    }),
  ),
  ...connectionFields,
});
true satisfies Same<CheckoutOptions, z.input<typeof checkoutSchema>>;

/**
 * @param allowHttp Whether the base URL may be plain http on another machine.
 * @throws {ConfigurationError} when an option is invalid; `param` names it.
 */
export function checkoutSettings(given: CheckoutOptions, allowHttp = false): HttpSettings {
  const options = checkOptions(checkoutSchema, given);
  const { baseUrl, environment, secret, paymentId: _, ...others } = options;
  const url = baseUrl ?? (environment === "sandbox" ? defaultSandboxUrl : undefined);
  if (url === undefined) {
    throw invalidOption(
      "baseUrl",
      "There is no base URL. Pass baseUrl: the URL that your server uses for the service.",
      "missing_base_url",
    );
  }
  return {
    ...connectionSettings(others),
    idempotencyNamespace: "default",
    allowHttp,
    baseUrl: checkBaseUrl(url, { allowHttp, credential: "payment secret" }),
    credential: paymentSecret(secret),
  };
}
