import type { MerchantOptions, SandboxOptions } from "../options.ts";
import { originOf, randomStream } from "../random.ts";
import type { Store } from "../state/store.ts";
import { type WebhookEndpoint, webhookEndpoint } from "../webhooks/endpoint.ts";

/** A merchant of the sandbox, isolated from the others. */
export interface SandboxMerchant {
  readonly merchantId: string;
  /** `merchantShortName` of its payments. */
  readonly name: string;
  /** Starts with `sk_test_`; never rotates. */
  readonly secretKey: string;
  /** Signs its webhooks. Never rotates. */
  readonly webhookSecret: string;
  /** The dashboard's bearer token. Never rotates, never expires. */
  readonly accessToken: string;
  /** The URL of its webhook endpoint; null if webhooks are only recorded, or passed to `deliver`. */
  readonly webhookUrl: string | null;
  readonly depositsEnabled: boolean;
  readonly withdrawalsEnabled: boolean;
  readonly limits: { readonly minPaymentInCents: number };
  /** The id of its registered endpoint. */
  readonly endpointId: string;
  /** The wallet that pays its withdrawals. */
  readonly backendWallet: string;
}

export type Merchants = ReturnType<typeof createMerchants>;

/** Values that the options omit are taken from the saved state, or else the defaults. */
export function createMerchants(options: SandboxOptions, store: Store) {
  const { merchants = [{}], ...common } = options;
  const kept = store.table<SandboxMerchant>("merchants", { survivesReset: true });
  const origin = originOf(options.identity ?? options.seed);
  // Stored, because merchants added later need the same origin.
  const keptOrigin = store.cell("identity", origin, { survivesReset: true });
  const endpoints = new Map<string, WebhookEndpoint | undefined>();

  /** Applies the options to the stored merchants, and adds new ones. */
  function gather(): void {
    const before = kept.values();
    const count = Math.max(before.length, merchants.length);
    for (let index = 0; index < count; index++) {
      const stored = before[index] ?? created(index, keptOrigin.get());
      const own = merchants[index] ?? {};
      const merchant = withOptions(withOptions(stored, common), own);
      // A merchant's own URL takes precedence over the shared deliver.
      const shared = own.webhookUrl === undefined ? common.deliver : undefined;
      const { merchantId, webhookUrl } = merchant;
      kept.set(merchantId, merchant);
      endpoints.set(merchantId, webhookEndpoint(webhookUrl, own.deliver ?? shared));
    }
  }

  gather();
  store.onReplaced(gather);

  return {
    /** In order; at least one. */
    all: kept.values,
    first: () => kept.values()[0] as SandboxMerchant,
    find: kept.get,
    /** `undefined` if the merchant has no endpoint. */
    endpointOf: (merchantId: string) => endpoints.get(merchantId),
  };
}

/** Each merchant has its own random stream, independent of the number of merchants. */
function created(index: number, origin: string): SandboxMerchant {
  const number = index === 0 ? "" : ` ${index + 1}`;
  const draws = randomStream(origin, `identity${number}`);
  return {
    merchantId: draws.uuid(),
    secretKey: `sk_test_${draws.hex(24)}`,
    webhookSecret: `whsec_${draws.hex(32)}`,
    endpointId: draws.uuid(),
    accessToken: `at_test_${draws.hex(24)}`,
    backendWallet: draws.address(),
    name: `Sandbox Merchant${number}`,
    webhookUrl: null,
    depositsEnabled: true,
    withdrawalsEnabled: true,
    limits: { minPaymentInCents: 250 },
  };
}

function withOptions(merchant: SandboxMerchant, options: MerchantOptions): SandboxMerchant {
  const { name, webhookUrl, depositsEnabled, withdrawalsEnabled } = options;
  const { minPaymentInCents = merchant.limits.minPaymentInCents } = options.limits ?? {};
  return {
    ...merchant,
    name: name ?? merchant.name,
    webhookUrl: webhookUrl === undefined ? merchant.webhookUrl : String(webhookUrl),
    depositsEnabled: depositsEnabled ?? merchant.depositsEnabled,
    withdrawalsEnabled: withdrawalsEnabled ?? merchant.withdrawalsEnabled,
    limits: { minPaymentInCents },
  };
}
