import {
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  SettlekitError,
} from "../errors.ts";
import { ofTenant } from "../stores/observers.ts";
import { show } from "../values.ts";
import type { Payment } from "../wire/payment.ts";
import type { Withdrawal } from "../wire/withdrawal.ts";
import { leaseMs, type SubjectClaim } from "./claims.ts";
import { fetchedRank, type InboxClient, resourceOf } from "./subject.ts";

type ClientOf = (tenant: string) => InboxClient;
type Resource = ReturnType<typeof resourceOf>;

/** Shorter than the lease, to leave time for settling. */
const deadlineMs = leaseMs / 2;
/** Shorter still, for a read that only shows whether the service responds. */
const probeMs = 5_000;

/** Nothing can be read from the service, so the subject is not to blame. `cause` is the error of reading it. */
export class Unreachable extends Error {}

export async function fetchSubject(
  clientOf: ClientOf,
  claim: SubjectClaim,
  signal: AbortSignal,
): Promise<Payment | Withdrawal> {
  const { kind, subject, signed_rank } = claim;
  const fetched = await read<Payment | Withdrawal>(clientOf, claim, signal, (resource) =>
    resource.get(subject, { deadlineMs, signal }),
  ).catch((error: unknown) => {
    throw NotFoundError.is(error) ? unknownSubject(claim, error) : error;
  });
  if (fetchedRank(kind, fetched.status) >= signed_rank) return fetched;
  throw new SettlekitError(
    `A signed webhook reported a status later than ${fetched.status}, but the service still returns ${fetched.status} for the ` +
      `${kind}. It will be read again later.`,
    { code: "behind_webhook" },
  );
}

/** Reads the payments or withdrawals of an orderId. */
export async function fetchByOrderId(
  clientOf: ClientOf,
  claim: SubjectClaim,
  signal: AbortSignal,
): Promise<readonly { readonly id: string }[]> {
  const { kind, subject } = claim;
  const found = await read<readonly { readonly id: string }[]>(
    clientOf,
    claim,
    signal,
    (resource) => resource.findByOrderId(subject, { deadlineMs, signal }),
  );
  if (found.length > 0) return found;
  throw new SettlekitError(
    `The service lists no ${kind} with the orderId of a signed webhook. It will be looked up again later.`,
    { code: "not_listed" },
  );
}

export function isUnknownSubject(error: unknown): boolean {
  // Some ids are refused before they reach the service, such as "undefined".
  if (InvalidRequestError.is(error)) return true;
  return NotFoundError.is(error) && error.code === "unknown_subject";
}

/** The id is mistyped, or the client's key and the webhook secret belong to different merchants. */
function unknownSubject({ tenant, kind, subject }: SubjectClaim, cause: unknown): NotFoundError {
  return new NotFoundError(
    `The client${ofTenant(tenant)} cannot read the ${kind} ${show(subject)}. Unless its id was mistyped, check that \`client\` and ` +
      "`webhooks` of createInbox belong to the same merchant and environment.",
    { code: "unknown_subject", cause },
  );
}

/**
 * After a failure, reads the list's first entry, too: an error says little about what it concerns. A 404 stands even if
 * the key may not read lists.
 *
 * @throws {Unreachable} when that fails as well.
 */
async function read<T>(
  clientOf: ClientOf,
  { tenant, kind }: SubjectClaim,
  signal: AbortSignal,
  request: (resource: Resource) => Promise<T>,
): Promise<T> {
  try {
    return await request(resourceOf(clientOf(tenant), kind));
  } catch (cause) {
    const outage = new Unreachable("", { cause });
    if (RateLimitError.is(cause)) throw outage;
    try {
      const options = { deadlineMs: probeMs, maxRetries: 0, signal };
      if (!signal.aborted) await resourceOf(clientOf(tenant), kind).list({ limit: 1 }, options);
    } catch (error) {
      const isAnswered = NotFoundError.is(cause) && PermissionError.is(error);
      if (!isAnswered && !signal.aborted) throw outage;
    }
    throw cause;
  }
}
