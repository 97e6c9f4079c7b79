import { createSandbox, type Sandbox, type SandboxOptions } from "settlekit/sandbox";
import { Webhooks } from "settlekit/webhooks";
import { create, newYear } from "../merchant.ts";

/** A webhook as the shop received it. */
export interface Seen {
  readonly body: string;
  readonly headers: Record<string, string>;
  /** `"ok"`, or the reason why the shop's verifier refused it. */
  readonly verdict: string;
}

/** A sandbox and a shop that verifies each webhook and answers 200 or 401. */
export function sandboxWithShop(options: SandboxOptions = {}) {
  const seen: Seen[] = [];
  const webhooks = new Webhooks({
    secret: () => sandbox.webhookSecret,
    now: () => sandbox.clock.now(),
  });
  const sandbox: Sandbox = createSandbox({
    now: newYear,
    async deliver(request) {
      const headers = Object.fromEntries(request.headers);
      const body = await request.text();
      const result = await webhooks.safeVerify({ body, headers });
      seen.push({ body, headers, verdict: result.ok ? "ok" : result.reason });
      return new Response("heard", { status: result.ok ? 200 : 401 });
    },
    ...options,
  });
  const told = () => seen.map(({ body }) => /"status":"(\w+)"/.exec(body)?.[1]);
  return { sandbox, seen, told };
}

/** Creates and pays a payment, which sends two webhooks. */
export async function createPaid(sandbox: Sandbox) {
  const { paymentId } = await create(sandbox);
  await sandbox.payments.simulate(paymentId, "success");
  await sandbox.webhooks.idle();
}
