import { isRecord } from "../../values.ts";
import type { Payment } from "../../wire/payment.ts";

/** In which of the published forms the sandbox answers and sends webhooks. */
export type Dialect = "documented" | "published";

/**
 * An answer as the newest published description has it: chain ids are CAIP-2 text, and every quote has its own deposit
 * address.
 */
export function inDialect(
  dialect: Dialect,
  value: unknown,
  findPayment: (paymentId: string) => Payment | undefined,
): unknown {
  if (dialect === "documented") return value;
  return published(value);

  function published(part: unknown): unknown {
    if (Array.isArray(part)) return part.map(published);
    if (!isRecord(part)) return part;
    const fields = Object.entries(part).map(([name, field]) => {
      const isChainId = name === "chainId" && typeof field === "number";
      return [name, isChainId ? `eip155:${field}` : published(field)];
    });
    return { ...Object.fromEntries(fields), ...addressOf(part) };
  }

  function addressOf({ expectedAmountAsset, paymentId, id }: Record<string, unknown>) {
    if (typeof expectedAmountAsset !== "string") return {};
    const address = findPayment(String(paymentId))?.depositAddress;
    return address ? { depositAddress: { ...address, id } } : {};
  }
}
