import { InvalidRequestError } from "../errors.ts";

/**
 * A chain id as a CAIP-2 identifier.
 *
 * @throws {InvalidRequestError} code `invalid_chain_id`.
 * @example
 * ```ts
 * toCaip2(8453); // "eip155:8453"
 * ```
 */
export function toCaip2(chainId: number): `eip155:${number}` {
  return `eip155:${checkedChainId(chainId)}`;
}

/**
 * The chain id in a CAIP-2 identifier of an EVM network.
 *
 * @throws {InvalidRequestError} code `invalid_chain_id`, also for networks of other kinds, such as
 * `solana:…`, which have no chain id.
 * @example
 * ```ts
 * fromCaip2("eip155:8453"); // 8453
 * ```
 */
export function fromCaip2(identifier: string): number {
  const digits = typeof identifier === "string" && /^eip155:([1-9][0-9]*)$/.exec(identifier)?.[1];
  const chainId = Number(digits || Number.NaN);
  if (Number.isSafeInteger(chainId)) return chainId;
  throw new InvalidRequestError(
    "chainId must be eip155: followed by an EVM chain id, such as eip155:8453. " +
      "Networks of other kinds are not supported.",
    { code: "invalid_chain_id", param: "chainId" },
  );
}

/**
 * The chain id, if it is one: a whole number from 1.
 *
 * @throws {InvalidRequestError} code `invalid_chain_id`.
 */
export function checkedChainId(chainId: number): number {
  if (Number.isSafeInteger(chainId) && chainId > 0) return chainId;
  throw new InvalidRequestError(
    "chainId must be a whole number from 1, such as 8453 for Base. " +
      "A CAIP-2 identifier goes through fromCaip2 first.",
    { code: "invalid_chain_id", param: "chainId" },
  );
}
