import {
  ApiError,
  AuthenticationError,
  ConfigurationError,
  ConnectionError,
  PermissionError,
  TimeoutError,
  UnexpectedResponseError,
} from "../errors.ts";

import { UsageError } from "./arguments/usage-error.ts";

/** What each exit code means; docs/cli.md lists them. */
export const exitCodes = {
  fine: 0,
  internal: 1,
  usage: 2,
  authentication: 3,
  network: 4,
  api: 5,
  /** Of a command that `exec` was to run, as shells have it. */
  notExecutable: 126,
  notFound: 127,
  /** 128 and the number of the signal, as shells count: SIGINT, SIGTERM. */
  interrupted: 130,
  terminated: 143,
} as const;

export function exitCodeOf(error: unknown): number {
  const is = (...classes: readonly (new (...parameters: never) => Error)[]) =>
    classes.some((type) => error instanceof type);
  if (is(UsageError, ConfigurationError)) return exitCodes.usage;
  if (is(AuthenticationError, PermissionError)) return exitCodes.authentication;
  if (is(ConnectionError, TimeoutError)) return exitCodes.network;
  if (is(ApiError, UnexpectedResponseError)) return exitCodes.api;
  return exitCodes.internal;
}
