// The service's states and their changes, according to the interface document and, where that is silent, to
// docs/sandbox-reference.md. It shares no code with the sandbox, so that both cannot be wrong in the same way.

export interface Model {
  nowMs: number;
  /** Oldest first. */
  payments: ModelPayment[];
  /** Oldest first. */
  withdrawals: ModelWithdrawal[];
  /** Creations by their Idempotency-Key. */
  paymentKeys: Map<string, Kept>;
  withdrawalKeys: Map<string, Kept>;
  withdrawalIdempotency: "ignored" | "honoured" | "conflict";
  /** What the merchant's endpoint does with webhooks. */
  receiver: "accepts" | "refuses" | "breaks";
  deliveries: ModelDelivery[];
  /** The disorders of the next webhooks. */
  disorders: ModelDisorder[];
  /** The deliveries to send now, in order. */
  outbox: number[];
  due: Due[];
  nextRank: number;
}

export interface ModelPayment {
  readonly id: string;
  /** `undefined` until an answer contains it. */
  secret: string | undefined;
  readonly type: "payment" | "deposit";
  readonly orderId: string;
  readonly createdMs: number;
  amountInCents: number;
  status:
    | "pending"
    | "processing"
    | "completed"
    | "failed"
    | "expired"
    | "cancelled"
    | "refunded"
    | "partially_refunded";
  quotes: ModelQuote[];
  isReceived: boolean;
  confirmations: number | null;
  /** The scenario's remaining steps, in order. */
  ahead: PaymentStep[];
}

export interface ModelQuote {
  readonly id: string;
  /** Chain and contract. */
  readonly token: string;
  expectedAmountAsset: string;
  expiresMs: number;
  status: "active" | "expired" | "used";
}

export interface PaymentStep {
  readonly status: ModelPayment["status"];
  readonly confirmations: number | null;
  /** The amount due. */
  readonly amountInCents: number;
  /** `undefined` if only a call takes it. */
  readonly dueMs: number | undefined;
}

export interface ModelWithdrawal {
  readonly id: string;
  readonly amountInCents: number;
  readonly orderId: string | undefined;
  status: "pending" | "processing" | "completed" | "failed" | "cancelled";
  updatedMs: number;
  ahead: WithdrawalStep[];
}

export interface WithdrawalStep {
  readonly status: ModelWithdrawal["status"];
  readonly dueMs: number | undefined;
}

export interface Kept {
  readonly body: string;
  readonly keptMs: number;
  /** The id of the created object. */
  readonly id: string;
  /** `undefined` until an answer contains it. */
  answer: unknown;
}

export interface ModelDelivery {
  readonly event: string;
  /** The id of the payment or withdrawal. */
  readonly subject: string;
  readonly subjectStatus: string;
  attempts: number;
  /** How many of them were duplicates. */
  duplicates: number;
  status: "delivered" | "pending" | "failed";
  /** The disorder of the next attempt. */
  disorder: DisorderName | undefined;
  /** Waits for the next webhook of its subject. */
  isHeldBack: boolean;
  /** When it is sent, unless something else sends it earlier. */
  nextMs: number | undefined;
}

export type DisorderName =
  | "duplicate"
  | "reorder"
  | "delay"
  | "tamper"
  | "stale-timestamp"
  | "wrong-secret";

interface ModelDisorder {
  readonly kind: DisorderName;
  /** `undefined` means every event. */
  readonly event: string | undefined;
  times: number;
}

export type Due = { readonly atMs: number; readonly rank: number } & (
  | { readonly kind: "quotes" | "payment"; readonly paymentId: string }
  | { readonly kind: "delivery"; readonly delivery: number }
  | { readonly kind: "payment step" | "withdrawal step"; readonly id: string }
);

/** One request to the merchant's endpoint. */
export interface Attempt {
  readonly atMs: number;
  readonly event: string;
  readonly subject: string;
  readonly subjectStatus: string;
  readonly attempt: number;
  /** Whether a receiver must refuse it. */
  readonly isForged: boolean;
}

/** Interface section 8. */
const idempotencyWindowMs = 24 * 60 * 60_000;

export function newModel(now: Date): Model {
  return {
    nowMs: now.getTime(),
    payments: [],
    withdrawals: [],
    paymentKeys: new Map(),
    withdrawalKeys: new Map(),
    withdrawalIdempotency: "ignored",
    receiver: "accepts",
    deliveries: [],
    disorders: [],
    outbox: [],
    due: [],
    nextRank: 0,
  };
}

/** The creation that is stored under a key, for 24 hours. */
export function kept(keys: Map<string, Kept>, key: string | undefined, nowMs: number) {
  const found = key === undefined ? undefined : keys.get(key);
  return found && nowMs - found.keptMs < idempotencyWindowMs ? found : undefined;
}

/** Stores a creation under a key. */
export function keep(
  model: Model,
  operation: "payments.create" | "withdrawals.create",
  key: string,
  creation: Omit<Kept, "keptMs">,
): void {
  const keys = operation === "payments.create" ? model.paymentKeys : model.withdrawalKeys;
  keys.set(key, { ...creation, keptMs: model.nowMs });
}

type DueWork = Due extends infer Each
  ? Each extends Due
    ? Omit<Each, "atMs" | "rank">
    : never
  : never;

export function schedule(model: Model, atMs: number, work: DueWork): void {
  model.due.push({ ...work, atMs, rank: model.nextRank++ } as Due);
}
