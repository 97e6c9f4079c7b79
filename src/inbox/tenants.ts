import { ConfigurationError } from "../errors.ts";
import { invalidOption, show } from "../values.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import type { InboxClient } from "./subject.ts";

/** With one client for all tenants, each tenant would be credited with everything on that merchant's lists. */
export function needsClients(tenant: string): ConfigurationError {
  return new ConfigurationError(
    `This inbox has the tenant ${show(tenant)}, but a single \`client\` for all tenants. Pass a function that returns each ` +
      "tenant's client.",
    { code: "invalid_option", param: "client" },
  );
}

/** @throws {ConfigurationError} when the merchant's function returned something else, such as a promise of a client. */
export function checkedClient(tenant: string, found: InboxClient): InboxClient {
  if (Object(found).payments) return found;
  throw invalidOption(
    "client",
    `\`client\` of createInbox returned ${show(found)} for the tenant ${show(tenant)}. Return a MerchantClient, not a promise ` +
      "of one, and throw for an unknown tenant.",
  );
}

/** A delivery that does not match the secrets of its route's tenant. */
type Delivery = Parameters<Webhooks["matches"]>[0];

/**
 * How many bytes may be hashed to find a delivery's tenant. Anyone can send forged deliveries: this bounds the cost of
 * each to that of the largest body.
 */
const mostHashedBytes = 1_048_576;
const leastBytes = 1_024;

/**
 * Refuses a delivery that another tenant's secret matches: it went to the wrong route. Only the holder of that secret
 * can make such a delivery, and nothing in its body is trusted.
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
      `A webhook for the tenant ${show(other)} arrived at the route of the tenant ${show(tenant)}. It was not stored. ` +
        `Set the webhook URL of ${show(other)} to its own route; the service will then deliver it there.`,
      { code: "other_tenant", param: "tenant" },
    );
  }
}
