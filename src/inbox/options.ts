import type { ConfigurationError } from "../errors.ts";
import type { EventLogger } from "../stores/observers.ts";
import type { Store, StoreMode } from "../stores/store.ts";
import { checkOptionNames, invalidOption, show } from "../values.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import type { InboxEvent } from "./events.ts";
import type { InboxClient, SubjectKind } from "./subject.ts";

/** The options of `createInbox`. */
export interface InboxOptions<Client, Mode extends StoreMode> {
  /**
   * Reads the current status. With tenants, a function that returns each tenant's client, always the same one, or
   * throws for an unknown tenant.
   */
  readonly client: InboxClient | ((tenant: string) => InboxClient);
  /** Verifies deliveries. With tenants, a function that returns each tenant's. Not needed if only workers run. */
  readonly webhooks?: Webhooks | ((tenant: string) => Webhooks) | undefined;
  /** `sqlite(...)` or `postgres(...)`. */
  readonly store: Store<Client, Mode>;
  /** Receives every event. Errors that it throws are ignored. */
  readonly onEvent?: ((event: InboxEvent) => unknown) | undefined;
  /** Receives failures, parked subjects and errors of the worker itself. Default: the console. */
  readonly logger?: EventLogger | undefined;
}

/** The tenant that a handler receives webhooks for. Take it from the route, never from the body. */
export interface TenantOptions {
  /** @defaultValue "" */
  readonly tenant?: string | undefined;
}

export function readTenant(options: TenantOptions | undefined = {}): string {
  checkOptionNames(options, ["tenant"]);
  const { tenant = "" } = options;
  if (typeof tenant === "string") return tenant;
  throw invalidOption("tenant", `The option tenant must be a string, got ${show(tenant)}.`);
}

/** A payment or withdrawal. */
export interface SubjectRef {
  readonly kind: SubjectKind;
  /** The service's id. */
  readonly id: string;
  /** @defaultValue "" */
  readonly tenant?: string | undefined;
}

/** The subject with its tenant. */
export function checkSubject(subject: SubjectRef): SubjectRef & { readonly tenant: string } {
  checkOptionNames(subject, ["kind", "id", "tenant"]);
  const { kind, id, tenant } = subject;
  checkKind(kind);
  if (typeof id !== "string" || id === "") {
    throw invalidOption(
      "id",
      `The option id must be the service's id of a ${kind}, got ${show(id)}.`,
    );
  }
  return { kind, id, tenant: readTenant({ tenant }) };
}

/** @throws {ConfigurationError} when a time is given but is invalid. */
export function checkSince(since: Date | undefined): void {
  if (since === undefined || (since instanceof Date && !Number.isNaN(since.getTime()))) return;
  throw invalidOption("since", `The option since must be a valid Date, got ${show(since)}.`);
}

export function checkKind(kind: SubjectKind): void {
  if (kind === "payment" || kind === "withdrawal") return;
  throw invalidOption("kind", `The kind must be "payment" or "withdrawal", got ${show(kind)}.`);
}

/** @throws {ConfigurationError} when an option is unknown, or missing without a default. */
export function checkOptions(options: InboxOptions<never, StoreMode>): void {
  checkOptionNames(options, ["client", "webhooks", "store", "onEvent", "logger"]);
  const { client, store, webhooks }: { [Name in keyof typeof options]?: unknown } = options;
  if (typeof client !== "function" && !Object(client).payments) {
    throw missing(
      "client",
      client,
      "Pass a MerchantClient, or a function that returns one for a tenant.",
    );
  }
  if (typeof Object(store).transaction !== "function") {
    throw missing("store", store, 'Pass sqlite("shop.db") or postgres(pool).');
  }
  if (webhooks === undefined || typeof webhooks === "function") return;
  if (typeof Object(webhooks).forward === "function") return;
  throw invalidOption(
    "webhooks",
    `The option webhooks must be a Webhooks instance, or a function that returns one for a tenant, got ${show(webhooks)}.`,
  );
}

function missing(name: string, value: unknown, cure: string): ConfigurationError {
  const message = `createInbox needs \`${name}\`, got ${show(value)}. ${cure}`;
  return invalidOption(name, message, "missing_option");
}
