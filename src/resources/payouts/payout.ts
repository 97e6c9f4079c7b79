import { UnexpectedResponseError } from "../../errors.ts";
import { toRecipientAddress } from "../../evm/address.ts";
import { callOptionNames } from "../../http/checks.ts";
import { idempotencyKeyFrom } from "../../http/idempotency.ts";
import type { CallInput } from "../../http/request.ts";
import type { HttpSettings } from "../../http/settings.ts";
import { canonicalJson, checkOptionNames } from "../../values.ts";
import type { Operation } from "../../wire/operation.ts";
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
  isSaid,
  type Metadata,
  otherId,
  refused,
} from "../arguments.ts";
import type { Listing } from "../lists/page.ts";

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
  readonly list: Listing<Withdrawal>;
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

/** A creation, whose answer must be about what was asked for. Fields that the answer leaves out are not compared. */
export function creationOf(
  { path }: WithdrawalRoute,
  body: SentWithdrawal,
): CallInput<Withdrawal> & { readonly body: SentWithdrawal } {
  const fields = ["amountInCents", "chainId", "recipientAddress", "orderId"] as const;
  const differing = (answer: Withdrawal) => {
    const [a, b] = [canonical(body), canonical(answer)];
    return fields.filter(
      (field) => isSaid(answer[field]) && body[field] !== undefined && a[field] !== b[field],
    );
  };
  return { path, body, differing };
}

/** The withdrawal that the service says it made instead of the one asked for, if that is what an error is about. */
export function otherWithdrawal(error: unknown): Withdrawal | undefined {
  if (!UnexpectedResponseError.is(error) || error.code !== "answer_differs") return undefined;
  return error.body as Withdrawal;
}

/** A read of one withdrawal, whose answer must be about that one. */
export function ofWithdrawal(
  { path }: WithdrawalRoute,
  withdrawalId: string,
): CallInput<Withdrawal> {
  return { path: { ...path, withdrawalId }, differing: ({ id }) => otherId(withdrawalId, id) };
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

/** An answer may hold anything, in any place: also objects that cannot become text, or that are nested too deep. */
function textOf(value: unknown): string {
  return isSaid(value) ? String(value) : `a value of type ${typeof value}`;
}

/** JSON text with its keys in order and every digit of its numbers; text that is not JSON stays as it is. */
function canonicalMetadata(metadata: unknown): unknown {
  if (metadata === null) return null;
  try {
    const isText = typeof metadata === "string";
    return canonicalJson(isText ? JSON.parse(metadata, keepDigits) : metadata);
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
