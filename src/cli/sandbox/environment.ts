import type { Sandbox } from "../../sandbox/index.ts";

/** The variables by which the client and the webhook verifier find a sandbox. */
export function environmentOf(
  { secretKey, webhookSecret }: Sandbox,
  url: string,
): Record<string, string> {
  return {
    SETTLEKIT_ENVIRONMENT: "sandbox",
    SETTLEKIT_SANDBOX_URL: url,
    SETTLEKIT_SECRET_KEY: secretKey,
    SETTLEKIT_WEBHOOK_SECRET: webhookSecret,
  };
}
