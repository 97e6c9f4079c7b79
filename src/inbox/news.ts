import { type Row, sql, type Work } from "../stores/store.ts";
import { isRecord } from "../values.ts";
import type { Webhook } from "../webhooks/event.ts";
import { type SubjectKind, signedRank } from "./subject.ts";

/** A report that a payment or withdrawal may have changed. */
interface News {
  readonly tenant: string;
  readonly kind: SubjectKind;
  /** The service's id, or the merchant's orderId when `byOrder`. */
  readonly subject: string;
  readonly byOrder?: boolean;
  /** The rank of the signed status; 0 if there is none. */
  readonly rank?: number;
  readonly byWebhook?: boolean;
  /** The trace contexts that led to it, newest first. */
  readonly causes?: string | null;
}

/** 32 trace contexts of 55 characters each, separated by spaces. */
const mostCausesLength = 32 * 56 - 1;

/** Marks a subject as changed. */
export function* noteNews({
  tenant,
  kind,
  subject,
  byOrder = false,
  rank = 0,
  byWebhook = false,
  causes = null,
}: News): Work<void> {
  yield* sql(
    `INSERT INTO {inbox_subjects} AS subject
  (tenant, kind, by_order, subject, news, signed_rank, told_at, causes, changed_at, due_at)
VALUES ($1, $2, $3, $4, 1, $5, CASE WHEN $6 = 1 THEN {now} END, $7, {now}, {now})
ON CONFLICT (tenant, kind, by_order, subject) DO UPDATE SET
  news = subject.news + 1,
  signed_rank = CASE WHEN excluded.signed_rank > subject.signed_rank
    THEN excluded.signed_rank ELSE subject.signed_rank END,
  told_at = COALESCE(excluded.told_at, subject.told_at),
  causes = COALESCE(substr(excluded.causes || ' ' || subject.causes, 1, ${mostCausesLength}), excluded.causes, subject.causes),
  changed_at = CASE WHEN subject.news > subject.seen
    THEN subject.changed_at ELSE excluded.changed_at END,
  due_at = excluded.due_at`,
    [tenant, kind, byOrder ? 1 : 0, subject, rank, byWebhook ? 1 : 0, causes],
  );
}

/** The subject of a delivery; without a `kind` for an unknown event. */
interface About {
  readonly kind?: SubjectKind;
  readonly id?: string | undefined;
  readonly orderId?: string | undefined;
  readonly status?: string | undefined;
}

/**
 * Stores a delivery and marks its subject as changed, in one transaction. A verbatim repetition changes nothing,
 * because the first delivery was committed.
 */
export function* acceptDelivery(
  tenant: string,
  webhook: Webhook,
  cause: string | null,
): Work<About> {
  const about = readAbout(webhook);
  const { kind, id, orderId, status } = about;
  const added: Row[] = yield* sql(
    `INSERT INTO {inbox_deliveries}
  (tenant, delivery_key, event, kind, subject, order_id, status, signed_at, received_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, {now})
ON CONFLICT (tenant, delivery_key) DO NOTHING RETURNING id`,
    [
      tenant,
      webhook.deliveryKey,
      storable(webhook.event) ?? "",
      kind ?? null,
      id ?? null,
      orderId ?? null,
      status ?? null,
      webhook.timestamp.getTime(),
    ],
  );
  const subject = id ?? orderId;
  if (added.length > 0 && kind !== undefined && subject !== undefined) {
    const rank = signedRank(kind, status);
    const byOrder = id === undefined;
    yield* noteNews({ tenant, kind, subject, byOrder, rank, byWebhook: true, causes: cause });
  }
  return about;
}

function readAbout({ event, data }: Webhook): About {
  const [kind] = event.split(".");
  if ((kind !== "payment" && kind !== "withdrawal") || !isRecord(data)) return {};
  const [id, orderId, status] = [data.id, data.orderId, data.status].map(storable);
  return { kind, id, orderId, status };
}

/** PostgreSQL cannot store NUL or a lone surrogate, and the service's ids have no control characters. */
export function storable(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "" || value.length > 1024) return undefined;
  return /[\p{Cc}\p{Cs}]/u.test(value) ? undefined : value;
}
