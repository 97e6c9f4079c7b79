import type { Time } from "../../http/time.ts";
import type { OrderNames } from "./order-names.ts";

/** Long enough for a list to show what was created. */
const rememberedMs = 600_000;
/** The longest time that an unanswered request is expected to take to arrive. */
const quietMs = 120_000;

/** What this process knows about an order, independently of the service's list. */
interface Recollection {
  /** The order's own name with the credential that was used. */
  readonly own: string;
  /** The withdrawal that a call made or found. */
  readonly withdrawalId?: string | undefined;
  /** Until when an unanswered request may still take effect. */
  readonly quietUntil: number;
  readonly forgetAt: number;
}

/**
 * What `createOnce` did in this process, remembered for ten minutes under each of the order's names. Lists lag behind
 * creations, and an abandoned request may still arrive: both would look as if nothing had been created.
 */
const payouts = /* @__PURE__ */ new Map<string, readonly Recollection[]>();

/** What is known for the order's own credential first, then for others from the same function, latest first. */
export function recall(order: OrderNames, { now }: Time): Recollection[] {
  const isOwn = ({ own }: Recollection) => own === order.own;
  const known = namesIn(order).flatMap((name) => payouts.get(name) ?? []);
  const recent = [...new Set(known)].filter(({ forgetAt }) => forgetAt > now()).reverse();
  return [...recent.filter(isOwn), ...recent.filter((payout) => !isOwn(payout))];
}

/** Records a request that is about to leave. */
export function rememberSent(order: OrderNames, { now }: Time): void {
  keep(order, now(), { quietUntil: now() + quietMs });
}

export function rememberWithdrawal(order: OrderNames, { now }: Time, withdrawalId: string): void {
  keep(order, now(), { withdrawalId, quietUntil: now() });
}

/** Called when the service refused the request. */
export function forget(order: OrderNames): void {
  for (const name of namesIn(order)) {
    const others = (payouts.get(name) ?? []).filter(({ own }) => own !== order.own);
    if (others.length > 0) payouts.set(name, others);
    else payouts.delete(name);
  }
}

function keep(
  order: OrderNames,
  now: number,
  facts: Pick<Recollection, "withdrawalId" | "quietUntil">,
): void {
  forget(order);
  // Entries are in order of age: each update moves its entry to the end.
  for (const [name, known] of payouts) {
    if (known.some(({ forgetAt }) => forgetAt > now)) break;
    payouts.delete(name);
  }
  const payout = { ...facts, own: order.own, forgetAt: now + rememberedMs };
  for (const name of namesIn(order)) {
    const others = (payouts.get(name) ?? []).filter(({ forgetAt }) => forgetAt > now);
    payouts.delete(name);
    payouts.set(name, [...others, payout]);
  }
}

function namesIn({ own, shared }: OrderNames): string[] {
  return shared === undefined ? [own] : [own, shared];
}
