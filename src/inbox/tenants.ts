import { ConfigurationError } from "../errors.ts";
import { show } from "../values.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";

/** With one client for all tenants, each tenant would be credited with everything on that merchant's lists. */
export function needsClients(tenant: string): ConfigurationError {
  return new ConfigurationError(
    `This inbox has the tenant ${show(tenant)}, and its \`client\` is one for all. Pass a function that gives the client of a ` +
      "tenant.",
    { code: "invalid_option", param: "client" },
  );
}

/** A delivery that the secrets of its route's tenant do not match. */
type Delivery = Parameters<Webhooks["matches"]>[0];

/**
 * How many bytes are hashed at most to find the tenant of one delivery. Anyone can send forged deliveries: each costs no
 * more than a body of the largest size that is read anyway.
 */
const mostHashedBytes = 1_048_576;
const leastBytes = 1_024;

/**
 * Refuses a delivery that another tenant's secret matches: it went to the wrong route. Only the holder of such a secret
 * can make one, and nothing in the body is believed.
 *
 * @throws {ConfigurationError} code `other_tenant`
 */
export async function refuseOthers(
  tenant: string,
  delivery: Delivery,
  verifiers: ReadonlyMap<string, Webhooks>,
): Promise<void> {
  const most = Math.floor(mostHashedBytes / Math.max(delivery.body.length, leastBytes));
  const others = [...verifiers].filter(([other]) => other !== tenant).slice(0, most);
  for (const [other, webhooks] of others) {
    if (!(await webhooks.matches(delivery))) continue;
    throw new ConfigurationError(
      `A webhook for the tenant ${show(other)} came to the route of the tenant ${show(tenant)}. Nothing of it was stored. ` +
        `Set the webhook URL of ${show(other)} to its own route; the service then delivers it there.`,
      { code: "other_tenant", param: "tenant" },
    );
  }
}
