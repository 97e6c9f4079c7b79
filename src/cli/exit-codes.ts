import * as errors from "../errors.ts";

/** Explained in docs/cli.md. */
export const exitCodes = {
  ok: 0,
  internal: 1,
  usage: 2,
  authentication: 3,
  /** Nothing could be reached, or the database was unusable: the same command may succeed later. */
  network: 4,
  api: 5,
  /** A creation may have succeeded, but no response confirmed it. */
  unknown: 6,
  /** `EX_IOERR` in sysexits.h: the command was carried out, but its output could not be printed. */
  outputFailed: 74,
  /** The shells' codes: `exec`'s command cannot be executed, or does not exist. */
  notExecutable: 126,
  notFound: 127,
  /** 128 plus the signal's number, as in shells: SIGINT, SIGTERM. */
  interrupted: 130,
  terminated: 143,
} as const;

const transientStoreErrors: ReadonlySet<string> = new Set([
  "store_unavailable",
  "no_free_client",
  "store_busy",
  "store_conflict",
  "store_full",
]);

/** An argument is missing or invalid. The message names it and says what is valid. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export function exitCodeOf(error: unknown): number {
  const is = (...classes: readonly (new (...parameters: never) => Error)[]) =>
    classes.some((type) => error instanceof type);
  // settlekit itself or the ledger refused it. A conflict at the service names its operation.
  const isLocal = error instanceof errors.ApiError && error.status === undefined;
  const isRefused =
    isLocal && (error instanceof errors.InvalidRequestError || error.operation === undefined);
  if (error instanceof errors.AbortError) return Number(error.cause) || exitCodes.interrupted;
  if (error instanceof errors.OutcomeUnknownError) return exitCodes.unknown;
  if (is(UsageError, errors.ConfigurationError) || isRefused) return exitCodes.usage;
  if (is(errors.AuthenticationError, errors.PermissionError)) return exitCodes.authentication;
  if (is(errors.ConnectionError, errors.TimeoutError)) return exitCodes.network;
  if (error instanceof errors.StoreError) {
    return transientStoreErrors.has(error.code) ? exitCodes.network : exitCodes.usage;
  }
  if (is(errors.ApiError, errors.UnexpectedResponseError)) return exitCodes.api;
  return exitCodes.internal;
}
