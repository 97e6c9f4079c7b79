import type { ConfigurationError } from "../errors.ts";
import { requireMigrated, sql, type Work } from "../stores/store.ts";
import { invalidOption, nearest, show } from "../values.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import type { InboxContext } from "./settle.ts";
import type { InboxClient, SubjectKind } from "./subject.ts";
import { inboxTables } from "./tables.ts";

/** How soon tenants that could not be stored are tried again. */
const retryMs = 60_000;
const kinds: readonly SubjectKind[] = ["payment", "withdrawal"];

/**
 * The tenants that this process receives webhooks for. They are stored, so that the workers of all processes check
 * their lists, even if no webhook ever arrives.
 */
export class Tenants {
  readonly #context: InboxContext;
  readonly #stored = new Set<string>();
  /** Tenants with a handler that may not be stored yet. */
  readonly #waiting = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(context: InboxContext) {
    this.#context = context;
  }

  /** Stores the tenant of a new handler soon, without delaying the caller. False if it has no client. */
  expect(tenant: string): boolean {
    if (this.#stored.has(tenant) || this.#waiting.has(tenant)) return true;
    try {
      this.#context.clientOf(tenant);
    } catch {
      // Its lists cannot be read, and a route that takes any name must fill neither the table nor the memory.
      return false;
    }
    this.#waiting.add(tenant);
    this.#tryIn(0);
    return true;
  }

  /** Like `addWaiting`. After a failure, for example because the tables do not exist yet, it tries again later. */
  async tryWaiting(): Promise<void> {
    await this.addWaiting().catch(() => this.#tryIn(retryMs));
  }

  addWaiting(): Promise<void> {
    return this.add([...this.#waiting]);
  }

  async add(tenants: readonly string[]): Promise<void> {
    const added = tenants.filter((tenant) => !this.#stored.has(tenant));
    if (added.length === 0) return;
    const { store } = this.#context;
    // A process that only receives webhooks does not check the tables elsewhere.
    if (this.#stored.size === 0) await requireMigrated(store, inboxTables);
    await store.transaction(() => addTenants(added));
    for (const tenant of added) {
      this.#stored.add(tenant);
      this.#waiting.delete(tenant);
    }
  }

  #tryIn(ms: number): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.tryWaiting();
    }, ms);
    this.#timer.unref?.();
  }
}

/** Creates the watermarks of new tenants: from now on, their lists are checked. */
function* addTenants(tenants: readonly string[]): Work<void> {
  const rows = yield* sql<{ tenant: string }>("SELECT tenant FROM {inbox_watermarks}");
  const known = new Set(rows.map(({ tenant }) => tenant));
  // In the same order in all processes, which might otherwise deadlock.
  for (const tenant of tenants.filter((name) => !known.has(name)).sort()) {
    for (const kind of kinds) {
      yield* sql(
        `INSERT INTO {inbox_watermarks} (tenant, kind, watermark) VALUES ($1, $2, {now})
ON CONFLICT DO NOTHING`,
        [tenant, kind],
      );
    }
  }
}

/** Only a handler makes a tenant known: with a mistyped name, workers would fail to read its lists from now on. */
export function unknownTenant(tenant: string, known: readonly string[]): ConfigurationError {
  const near = nearest(tenant, [...new Set(known)].filter(Boolean));
  const cure = near
    ? `Did you mean ${show(near)}?`
    : "A tenant is known once a process has created a handler for it.";
  return invalidOption("tenant", `This inbox has no tenant ${show(tenant)}. ${cure}`);
}

/** The first named tenant, if there is any. */
export function* namedTenant(): Work<string | undefined> {
  const [row] = yield* sql<{ tenant: string }>(
    "SELECT tenant FROM {inbox_watermarks} WHERE tenant <> '' ORDER BY tenant LIMIT 1",
  );
  return row?.tenant;
}

/**
 * With one client for all tenants, each tenant would be credited with everything on that merchant's lists.
 *
 * @throws {ConfigurationError} when a named tenant has no client of its own.
 */
export function requireClientOf(tenant: string, client: unknown): void {
  if (tenant === "" || typeof client === "function") return;
  throw invalidOption(
    "client",
    `This inbox has the tenant ${show(tenant)}, but a single \`client\` for all tenants. Pass a function that returns each ` +
      "tenant's client.",
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
    const message =
      `A webhook for the tenant ${show(other)} arrived at the route of the tenant ${show(tenant)}. It was not stored. ` +
      `Set the webhook URL of ${show(other)} to its own route; the service will then deliver it there.`;
    throw invalidOption("tenant", message, "other_tenant");
  }
}
