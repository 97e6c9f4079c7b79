import { ConfigurationError } from "../errors.ts";
import type { Store, StoreMode } from "../stores/store.ts";
import { show } from "../values.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import type { InboxEvent, InboxLogger } from "./events.ts";
import type { InboxClient, SubjectKind } from "./subject.ts";

/** The options of `createInbox`. */
export interface InboxOptions<Client, Mode extends StoreMode> {
  /** Reads what is true now. With tenants, a function that gives each one's client, or throws for an unknown one. */
  readonly client: InboxClient | ((tenant: string) => InboxClient);
  /** Verifies deliveries. With tenants, a function that gives each one's. Not needed where only workers run. */
  readonly webhooks?: Webhooks | ((tenant: string) => Webhooks) | undefined;
  /** `sqlite(...)` or `postgres(...)`. */
  readonly store: Store<Client, Mode>;
  /** Told of everything that happens. What it throws is ignored. */
  readonly onEvent?: ((event: InboxEvent) => unknown) | undefined;
  /** Told of parked subjects and of failures of the worker itself. Default: the console. */
  readonly logger?: InboxLogger | undefined;
}

/** Which tenant a handler receives webhooks for: from the route, never from the body. */
export interface TenantOptions {
  /** @defaultValue "" */
  readonly tenant?: string | undefined;
}

/** A payment or withdrawal. */
export interface SubjectRef {
  readonly kind: SubjectKind;
  /** The service's id. */
  readonly id: string;
  /** @defaultValue "" */
  readonly tenant?: string | undefined;
}

/** @throws {ConfigurationError} when one is missing that there is no default for. */
export function checkOptions(options: InboxOptions<never, StoreMode>): void {
  for (const name of ["client", "store"] as const) {
    const value: unknown = Object(options)[name];
    if (typeof Object(value)[name === "store" ? "transaction" : "call"] === "function") continue;
    if (name === "client" && Object(value).payments) continue;
    throw new ConfigurationError(
      `createInbox needs \`${name}\`, got ${show(value)}. ${
        name === "store"
          ? 'Pass sqlite("shop.db") or postgres(pool)'
          : "Pass a MerchantClient, or a function that gives one for a tenant"
      }.`,
      { code: "missing_option", param: name },
    );
  }
}
