import { ConfigurationError } from "./errors.ts";
import type { ClientEvent, Logger } from "./http/events.ts";
import {
  type CredentialSource,
  checkBaseUrl,
  checkedFetch,
  checkHeaders,
  checkLimit,
  checkRetries,
  checkWire,
  defaults,
  type Fetch,
  type HttpSettings,
  type WireOptions,
} from "./http/settings.ts";
import { checkSecretKey, defaultSandboxUrl, type Environment } from "./wire/credential.ts";

/** The options of `MerchantClient`. Every one has a default or an environment variable. */
export interface ClientOptions {
  /**
   * The merchant secret key, or a function that gives it, asked for every call. Default: the
   * environment variable `SETTLEKIT_SECRET_KEY`. For servers only.
   */
  secretKey?: string | (() => string | Promise<string>) | undefined;
  /** Default: `SETTLEKIT_ENVIRONMENT`, else `production`. */
  environment?: Environment | undefined;
  /**
   * Where the service is: https, or http on this machine. Default: `SETTLEKIT_BASE_URL` for
   * production, `SETTLEKIT_TESTNET_URL` for the testnet, and `SETTLEKIT_SANDBOX_URL` or
   * `http://127.0.0.1:4010` for the sandbox.
   */
  baseUrl?: string | undefined;
  /** Limit of one attempt, its answer's body included, in milliseconds. Default 30,000. */
  timeoutMs?: number | undefined;
  /** Limit of a whole call: attempts, bodies and waits, in milliseconds. Default 90,000. */
  deadlineMs?: number | undefined;
  /**
   * How often a failed request is repeated where that is harmless. Default 3; 0 sends exactly one
   * request. Waiting out a 429 does not count.
   */
  maxRetries?: number | undefined;
  /** How many requests may be under way at once; the others wait their turn. Default: any number. */
  maxConcurrency?: number | undefined;
  /**
   * Keeps apart the idempotency keys that `createOnce` derives for systems that share a merchant. It does
   * not keep apart their withdrawals: those are found by `orderId`, so number orders differently in each.
   * Default `default`.
   */
  idempotencyNamespace?: string | undefined;
  /** Default: the global `fetch` at the time of each request. */
  fetch?: Fetch | undefined;
  /**
   * Added to every fetch's init, for example a `dispatcher` for a proxy or client certificates, which
   * works with the `fetch` of its own undici: pass that, too.
   */
  fetchOptions?: Readonly<Record<string, unknown>> | undefined;
  /** Added to every request. May not set credentials or Idempotency-Key. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Anything with console's methods. Nothing is logged by default. */
  logger?: Logger | undefined;
  /** Told about every call, attempt, wait and drift. */
  onEvent?: ((event: ClientEvent) => void) | undefined;
  /** What to change when the service speaks otherwise than settlekit believes. */
  wire?: WireOptions | undefined;
}

/** The client's options with the process's environment variables and the defaults, checked. */
export interface Configuration extends HttpSettings {
  readonly environment: Environment;
}

type Variables = Readonly<Record<string, string | undefined>>;

const environments: readonly Environment[] = ["production", "testnet", "sandbox"];

const urlVariables: Record<Environment, string> = {
  production: "SETTLEKIT_BASE_URL",
  testnet: "SETTLEKIT_TESTNET_URL",
  sandbox: "SETTLEKIT_SANDBOX_URL",
};

// A record, so that the compiler notices an option that is missing here.
const optionNames: Record<keyof ClientOptions, true> = {
  secretKey: true,
  environment: true,
  baseUrl: true,
  timeoutMs: true,
  deadlineMs: true,
  maxRetries: true,
  maxConcurrency: true,
  idempotencyNamespace: true,
  fetch: true,
  fetchOptions: true,
  headers: true,
  logger: true,
  onEvent: true,
  wire: true,
};

/**
 * Completes and checks the client's options.
 *
 * @throws {ConfigurationError} naming the option in `param`, before anything is sent.
 */
export function configure(
  options: ClientOptions = {},
  variables: Variables = processVariables(),
): Configuration {
  checkNames(options);
  const environment = readEnvironment(options, variables);
  const wire = checkWire(options.wire);
  return Object.freeze({
    environment,
    baseUrl: readBaseUrl(options, environment, variables),
    credential: readSecretKey(options, environment, variables),
    timeoutMs: checkLimit("timeoutMs", options.timeoutMs ?? defaults.timeoutMs),
    deadlineMs: checkLimit("deadlineMs", options.deadlineMs ?? defaults.deadlineMs),
    maxRetries: checkRetries(options.maxRetries ?? defaults.maxRetries),
    maxConcurrency: readMaxConcurrency(options),
    idempotencyNamespace: readNamespace(options),
    fetch: checkedFetch(options.fetch),
    fetchOptions: Object.freeze({ ...options.fetchOptions }),
    headers: Object.freeze(checkHeaders(options.headers ?? {}, wire.headerPrefix)),
    logger: options.logger,
    onEvent: options.onEvent,
    wire,
  });
}

function processVariables(): Variables {
  return typeof process === "undefined" ? {} : (process.env ?? {});
}

function checkNames(options: ClientOptions): void {
  if (typeof options !== "object" || options === null) {
    throw new ConfigurationError(
      "The options of a client must be an object, such as { secretKey }.",
      { code: "invalid_option" },
    );
  }
  const unknown = Object.keys(options).find((name) => !(name in optionNames));
  if (unknown !== undefined) {
    throw new ConfigurationError(
      `There is no option "${unknown}". The options are: ${Object.keys(optionNames).join(", ")}.`,
      { code: "unknown_option", param: unknown },
    );
  }
}

function readEnvironment(options: ClientOptions, variables: Variables): Environment {
  const value = options.environment ?? (variables.SETTLEKIT_ENVIRONMENT || "production");
  const environment = environments.find((known) => known === value);
  if (environment === undefined) {
    throw new ConfigurationError(
      `There is no environment "${value}". Set environment (or SETTLEKIT_ENVIRONMENT) to ` +
        '"production", "testnet" or "sandbox".',
      { code: "unknown_environment", param: "environment" },
    );
  }
  return environment;
}

function readSecretKey(
  { secretKey }: ClientOptions,
  environment: Environment,
  variables: Variables,
): CredentialSource {
  const source = { param: "secretKey", renewable: false };
  if (typeof secretKey === "function") {
    return { ...source, get: async () => checkSecretKey(await secretKey(), environment) };
  }
  const variable = "SETTLEKIT_SECRET_KEY";
  const value = secretKey ?? (variables[variable] || undefined);
  if (value === undefined) {
    throw new ConfigurationError(
      `There is no secret key. Pass secretKey, or set the environment variable ${variable}.`,
      { code: "missing_credential", param: "secretKey" },
    );
  }
  const key = checkSecretKey(value, environment, secretKey === undefined ? variable : undefined);
  return { ...source, get: () => key };
}

function readBaseUrl(
  options: ClientOptions,
  environment: Environment,
  variables: Variables,
): string {
  const variable = urlVariables[environment];
  const value =
    options.baseUrl ??
    (variables[variable] || (environment === "sandbox" ? defaultSandboxUrl : undefined));
  if (value === undefined) {
    const isChosen = options.environment ?? variables.SETTLEKIT_ENVIRONMENT;
    throw new ConfigurationError(
      `There is no base URL for "${environment}"${isChosen ? "" : ", the environment where none is set"}. ` +
        `Pass baseUrl, or set ${variable}, to the URL that the service gave you.`,
      { code: "missing_base_url", param: "baseUrl" },
    );
  }
  return checkBaseUrl(value);
}

function readMaxConcurrency({ maxConcurrency = defaults.maxConcurrency }: ClientOptions): number {
  const unlimited = maxConcurrency === Number.POSITIVE_INFINITY;
  if (unlimited || (Number.isSafeInteger(maxConcurrency) && maxConcurrency > 0))
    return maxConcurrency;
  throw new ConfigurationError(
    `maxConcurrency must be a whole number from 1 on, got ${String(maxConcurrency)}.`,
    { code: "invalid_option", param: "maxConcurrency" },
  );
}

function readNamespace({
  idempotencyNamespace = defaults.idempotencyNamespace,
}: ClientOptions): string {
  if (typeof idempotencyNamespace === "string" && idempotencyNamespace !== "") {
    return idempotencyNamespace;
  }
  throw new ConfigurationError("idempotencyNamespace must be a non-empty string.", {
    code: "invalid_option",
    param: "idempotencyNamespace",
  });
}
