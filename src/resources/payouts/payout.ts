import { UnexpectedResponseError } from "../../errors.ts";
import { toRecipientAddress } from "../../evm/address.ts";
import { idempotencyKeyFrom } from "../../http/idempotency.ts";
import type { CallInput } from "../../http/request.ts";
import type { HttpSettings } from "../../http/settings.ts";
import { canonicalJson } from "../../values.ts";
import type { ListOperation, Operation } from "../../wire/operation.ts";
import {
  createWithdrawalBodySchema,
  maxMetadataLength,
  maxOrderIdLength,
  type Withdrawal,
} from "../../wire/withdrawal.ts";
import {
  checkAmount,
  checkCurrency,
  checkParameters,
  checkReference,
  encodeMetadata,
  evmChainIdOnWire,
  ifGiven,
  isComparable,
  type Metadata,
  refused,
} from "../arguments.ts";

/** A withdrawal to make (interface section 4.4). */
export interface CreateWithdrawalInput {
  /** USD cents, at most 100,000,000; the service decides the minimum. */
  amountInCents: number;
  /** EVM chain id; `dashboard(...).withdrawalConfig()` lists the supported ones. */
  chainId: number;
  /** The recipient's wallet: `0x` and 40 hex digits; mixed case must be a valid EIP-55 checksum. */
  recipientAddress: string;
  /**
   * Your own reference, at most 255 characters. Text that the service may store differently is refused, because it
   * could not be used to find the withdrawal again.
   */
  orderId?: string | undefined;
  /** Default and only value: `USD`. */
  currency?: "USD" | undefined;
  /** At most 2,048 characters as text; an object is sent as JSON. */
  customMetadata?: Metadata | undefined;
}

/** A withdrawal with an `orderId` to recognise it by. */
export interface CreateOnceInput extends CreateWithdrawalInput {
  orderId: string;
}

/** The withdrawal operations available to one credential. */
export interface WithdrawalRoute {
  /** The resource that has the methods, such as `withdrawals`. */
  readonly name: string;
  readonly create: Operation<Withdrawal>;
  readonly get: Operation<Withdrawal>;
  readonly list: ListOperation<Withdrawal>;
}

/** The withdrawal body that is sent: `chainId` has the form that the client is configured to send. */
export type SentWithdrawal = ReturnType<typeof createWithdrawalBody>;

/** A withdrawal body with the `orderId` by which the withdrawal can be found again. */
export type PayoutBody = SentWithdrawal & { orderId: string };

/** @throws {InvalidRequestError} when the input can never be valid, with the service's own codes. */
export function createWithdrawalBody(input: CreateWithdrawalInput, wire: HttpSettings["wire"]) {
  const { amountInCents, chainId, recipientAddress, orderId, currency, customMetadata } =
    checkParameters(input, createWithdrawalBodySchema.shape);
  return {
    amountInCents: checkAmount("amountInCents", amountInCents),
    chainId: evmChainIdOnWire(chainId, wire),
    recipientAddress: toRecipientAddress(recipientAddress),
    orderId: ifGiven(orderId, checkOrderId),
    currency: checkCurrency(currency),
    customMetadata: ifGiven(customMetadata, (it) => encodeMetadata(it, maxMetadataLength)),
  };
}

/** @throws {InvalidRequestError} also for a missing `orderId`. */
export function createOnceBody(input: CreateOnceInput, wire: HttpSettings["wire"]): PayoutBody {
  const body = createWithdrawalBody(input, wire);
  return { ...body, orderId: checkReference("orderId", body.orderId) };
}

/** Derived from the order alone, so that different parameters conflict at the service, as they should. */
export function createOnceKey(
  { baseUrl, idempotencyNamespace }: HttpSettings,
  orderId: string,
): string {
  return idempotencyKeyFrom("createOnce", baseUrl, idempotencyNamespace, orderId);
}

/**
 * Refuses an `orderId` that may not come back unchanged. If the service trimmed or normalised it, or read it as a
 * number, no lookup would find the withdrawal, and the order would be paid again.
 */
function checkOrderId(value: unknown): string {
  const text = checkReference("orderId", value, maxOrderIdLength);
  const reason = reasonToStoreOtherwise(text);
  if (reason === undefined) return text;
  throw refused("orderId", "must come back from the service unchanged", text, reason);
}

function reasonToStoreOtherwise(orderId: string): string | undefined {
  if (!orderId.isWellFormed()) return "This text is not well-formed Unicode (a lone surrogate).";
  if (orderId.normalize("NFC") !== orderId) return 'This text is not NFC: use normalize("NFC").';
  if (orderId.trim() !== orderId) return "This text begins or ends with white space: trim it.";
  if (/\p{Cc}/u.test(orderId)) return "This text holds a control character: remove it.";
  const isNumeric = /^[-+.\de]+$/i.test(orderId) && !Number.isNaN(Number(orderId));
  if (isNumeric && String(Number(orderId)) !== orderId) {
    return 'As a number this text would change: put letters in front, such as "order_007".';
  }
  return undefined;
}

/**
 * The fields in which a withdrawal differs from the one requested, compared by meaning: addresses ignore case, chain
 * ids may have either form, metadata is parsed as JSON, and missing values count as their defaults. After a request for
 * it, `isOwn`, metadata that the service leaves out does not count: no money depends on it.
 */
export function differences(asked: SentWithdrawal, found: Withdrawal, isOwn = false): string[] {
  const [a, b] = [canonical(asked), canonical(found)];
  if (isOwn) b.customMetadata ??= a.customMetadata;
  return Object.keys(a).filter((field) => a[field] !== b[field]);
}

/** A creation. The response must be about the requested withdrawal; fields missing from it are not compared. */
export function creationOf(body: SentWithdrawal): CallInput<Withdrawal> {
  const fields = ["amountInCents", "chainId", "recipientAddress", "orderId"] as const;
  const differing = (answer: Withdrawal) => {
    const differ = differences(body, answer);
    return fields.filter(
      (field) => isComparable(answer[field]) && body[field] !== undefined && differ.includes(field),
    );
  };
  return { body, differing };
}

/** The withdrawal that the service says it created instead of the requested one, if that is the error's cause. */
export function otherWithdrawal(error: unknown): Withdrawal | undefined {
  if (!UnexpectedResponseError.is(error) || error.code !== "answer_differs") return undefined;
  return error.body as Withdrawal;
}

function canonical(withdrawal: SentWithdrawal | Withdrawal): Record<string, unknown> {
  const { amountInCents, chainId, recipientAddress, orderId, currency, customMetadata } =
    withdrawal;
  return {
    amountInCents: Number(textOf(amountInCents)),
    chainId: textOf(chainId).replace(/^eip155:/, ""),
    recipientAddress: textOf(recipientAddress).toLowerCase(),
    orderId: textOf(orderId ?? ""),
    currency: currency ?? "USD",
    customMetadata: canonicalMetadata(customMetadata ?? null),
  };
}

/** A response may hold anything anywhere, even objects that cannot become text or are nested too deeply. */
function textOf(value: unknown): string {
  return isComparable(value) ? String(value) : `a value of type ${typeof value}`;
}

/** JSON with sorted keys and every digit of its numbers; text that is not JSON stays unchanged. */
function canonicalMetadata(metadata: unknown): unknown {
  if (metadata === null) return null;
  try {
    const isText = typeof metadata === "string";
    return canonicalJson(isText ? JSON.parse(metadata, keepDigits) : metadata);
  } catch {
    return metadata;
  }
}

/** Numbers with more digits than a double can hold stay text, so that different ones never compare equal. */
function keepDigits(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined) return value;
  const [mantissa = ""] = context.source.split(/e/i);
  const significant = mantissa.replace(/\D/g, "").replace(/^0+/, "");
  return significant.length > 15 ? `\0${context.source}` : value;
}
