import { UsageError } from "../arguments/usage-error.ts";

/** The options of every command that signs or verifies webhooks. */
export const webhookOptions = {
  secret: {
    value: "<secret>",
    description: "The endpoint's webhook secret. Default: SETTLEKIT_WEBHOOK_SECRET.",
  },
  "header-prefix": {
    value: "<prefix>",
    description: "What the service's header names begin with. Default X-Service.",
  },
} as const;

/** @throws {UsageError} There is none. */
export function webhookSecretFrom(secret: string | undefined): string {
  const found = secret ?? process.env.SETTLEKIT_WEBHOOK_SECRET;
  if (found) return found;
  throw new UsageError(
    "There is no webhook secret. Set SETTLEKIT_WEBHOOK_SECRET, or pass --secret. The sandbox prints " +
      "its own when it starts.",
  );
}
