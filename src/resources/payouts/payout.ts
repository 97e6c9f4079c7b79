import { UnexpectedResponseError } from "../../errors.ts";
import { toRecipientAddress } from "../../evm/address.ts";
import type { ApiResponse } from "../../http/answer.ts";
import { callOptionNames } from "../../http/checks.ts";
import { idempotencyKeyFrom } from "../../http/idempotency.ts";
import type { HttpSettings } from "../../http/settings.ts";
import { canonicalJson, checkOptionNames } from "../../values.ts";
import type { Operation } from "../../wire/operation.ts";
import type { PageBody } from "../../wire/pagination.ts";
import {
  type CreateWithdrawalBody,
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
  type Metadata,
  refused,
} from "../arguments.ts";

/** A withdrawal to make (interface section 4.4). */
export interface CreateWithdrawalInput {
  /** USD cents, at most 100,000,000; the service decides the minimum. */
  amountInCents: number;
  /** EVM chain id; `dashboard(...).withdrawalConfig()` lists the supported ones. */
  chainId: number;
  /** The beneficiary's wallet: `0x` and 40 hex digits; mixed case must be a valid EIP-55 checksum. */
  recipientAddress: string;
  /**
   * Your own reference, at most 255 characters. Text that the service may store differently is refused, because
   * the withdrawal could not be found by it again.
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

/** The operations on withdrawals that one credential gives access to. */
export interface WithdrawalRoute {
  /** Where the methods are, such as `withdrawals`. */
  readonly name: string;
  readonly create: Operation<Withdrawal>;
  readonly get: Operation<Withdrawal>;
  readonly list: Operation<PageBody<Withdrawal>>;
  /** Path parameters beside a withdrawal's id. */
  readonly path: Readonly<Record<string, string>>;
}

/** A withdrawal's body on the wire, whose chain id has the form that the client is configured to send. */
export type SentWithdrawal = Omit<CreateWithdrawalBody, "chainId"> & { chainId: number | string };

/** The body of a withdrawal that is found again by its `orderId`. */
export type PayoutBody = SentWithdrawal & { orderId: string };

/** @throws {InvalidRequestError} for what can never be right, in the service's own vocabulary. */
export function createWithdrawalBody(
  input: CreateWithdrawalInput,
  wire: HttpSettings["wire"],
): SentWithdrawal {
  const { amountInCents, chainId, recipientAddress, orderId, currency, customMetadata } =
    checkParameters(input, createWithdrawalBodySchema.shape);
  return {
    amountInCents: checkAmount("amountInCents", amountInCents),
    chainId: evmChainIdOnWire(chainId, wire),
    recipientAddress: toRecipientAddress(recipientAddress),
    ...(orderId !== undefined && { orderId: checkOrderId(orderId) }),
    currency: checkCurrency(currency),
    ...(customMetadata !== undefined && {
      customMetadata: encodeMetadata(customMetadata, maxMetadataLength),
    }),
  };
}

const createOnceOptions = [...callOptionNames, "createdAfter"].filter(
  (name) => name !== "idempotencyKey",
);

/** @throws {InvalidRequestError | ConfigurationError} also for a missing `orderId` and for options that do not exist. */
export function createOnceBody(
  input: CreateOnceInput,
  options: object,
  wire: HttpSettings["wire"],
): PayoutBody {
  const body = createWithdrawalBody(input, wire);
  const orderId = checkReference("orderId", body.orderId);
  checkOptionNames(options, createOnceOptions);
  return { ...body, orderId };
}

/** From the order alone: with other parameters the same key collides at the service, as it should. */
export function createOnceKey(
  { baseUrl, idempotencyNamespace }: HttpSettings,
  orderId: string,
): string {
  return idempotencyKeyFrom("createOnce", baseUrl, idempotencyNamespace, orderId);
}

/**
 * An `orderId` that comes back as it was sent. A service that trims, normalises or counts would store another
 * one, no lookup would find it, and the order would be paid again.
 */
function checkOrderId(value: unknown): string {
  const text = checkReference("orderId", value, maxOrderIdLength);
  const reason = reasonToStoreOtherwise(text);
  if (reason === undefined) return text;
  throw refused("orderId", `must come back from the service as it was sent, but ${reason}`, text);
}

function reasonToStoreOtherwise(orderId: string): string | undefined {
  if (!orderId.isWellFormed()) return "this text is not well-formed Unicode (a lone surrogate)";
  if (orderId.normalize("NFC") !== orderId) return 'this text is not NFC: use normalize("NFC")';
  if (orderId.trim() !== orderId) return "this text begins or ends with white space: trim it";
  if (/\p{Cc}/u.test(orderId)) return "this text holds a control character: remove it";
  const isNumeric = /^[-+.\de]+$/i.test(orderId) && !Number.isNaN(Number(orderId));
  if (isNumeric && String(Number(orderId)) !== orderId) {
    return 'as a number this text would change: put letters in front, such as "order_007"';
  }
  return undefined;
}

/**
 * The fields in which a withdrawal differs from what was asked for, compared by meaning: addresses without
 * case, chain ids in either form, metadata as parsed JSON, and what is missing as its default.
 */
export function differences(asked: SentWithdrawal, found: Withdrawal): string[] {
  const [a, b] = [canonical(asked), canonical(found)];
  return Object.keys(a).filter((field) => a[field] !== b[field]);
}

/**
 * Compares the answer to a creation with the request. Fields that the answer leaves out are not compared.
 *
 * @throws {UnexpectedResponseError} code `answer_differs` when the service says that it made something else.
 */
export function confirmed(
  operation: string,
  asked: SentWithdrawal,
  answer: ApiResponse<Withdrawal>,
): ApiResponse<Withdrawal> {
  const { data, rawBody, headers, ...facts } = answer;
  const [a, b] = [canonical(asked), canonical(data)];
  const fields = ["amountInCents", "chainId", "recipientAddress", "orderId"] as const;
  const differing = fields.filter((field) => {
    const isSaid = ["string", "number"].includes(typeof data[field]);
    return isSaid && asked[field] !== undefined && a[field] !== b[field];
  });
  if (differing.length === 0) return answer;
  throw new UnexpectedResponseError(
    `The service answered ${operation} with the withdrawal ${data.id}, but with another ` +
      `${differing.join(", ")} than the request had. It is unknown what was created; error.body holds the whole ` +
      "answer. Do not repeat the call: read the withdrawal, and tell the service.",
    { ...facts, code: "answer_differs", operation, body: data },
  );
}

function canonical(withdrawal: SentWithdrawal | Withdrawal): Record<string, unknown> {
  const { amountInCents, chainId, recipientAddress, orderId, currency, customMetadata } =
    withdrawal;
  return {
    amountInCents: Number(amountInCents),
    chainId: String(chainId).replace(/^eip155:/, ""),
    recipientAddress: String(recipientAddress).toLowerCase(),
    orderId: String(orderId ?? ""),
    currency: currency ?? "USD",
    customMetadata: canonicalMetadata(customMetadata ?? null),
  };
}

/** JSON text with its keys in order and every digit of its numbers; text that is not JSON stays as it is. */
function canonicalMetadata(metadata: unknown): unknown {
  if (typeof metadata !== "string") return metadata === null ? null : canonicalJson(metadata);
  try {
    return canonicalJson(JSON.parse(metadata, keepDigits));
  } catch {
    return metadata;
  }
}

/** Numbers of more digits than a double holds stay text, so that no two of them look equal. */
function keepDigits(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined) return value;
  const [mantissa = ""] = context.source.split(/e/i);
  const significant = mantissa.replace(/\D/g, "").replace(/^0+/, "");
  return significant.length > 15 ? `\0${context.source}` : value;
}
