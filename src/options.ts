import pLimit from "p-limit";
import * as z from "zod/mini";
import { checkBaseUrl, isSecureUrl } from "./http/base-url.ts";
import {
  type AfterResponseHook,
  type BeforeRequestHook,
  type ClientHooks,
  watched,
} from "./http/hooks.ts";
import {
  type ConnectionOptions,
  type CredentialSource,
  connectionFields,
  connectionSettings,
  type HttpSettings,
} from "./http/settings.ts";
import {
  environmentVariable,
  invalidOption,
  isFunction,
  isRecord,
  nearest,
  show,
} from "./values.ts";
import { checkSecretKey, defaultSandboxUrl, type Environment } from "./wire/credential.ts";
import { checkOptions, must, type Same } from "./wire/fields.ts";

/** The options of `MerchantClient`. Every one has a default or an environment variable. */
export interface ClientOptions extends ConnectionOptions {
  /**
   * The merchant secret key, or a function that returns it and runs for every call. Default: the environment variable
   * `SETTLEKIT_SECRET_KEY`. For servers only.
   */
  secretKey?: string | (() => string | Promise<string>) | undefined;
  /** Default: `SETTLEKIT_ENVIRONMENT`, else `production`. */
  environment?: Environment | undefined;
  /**
   * The service's URL: https, or http on this machine. Default: `SETTLEKIT_BASE_URL` for production,
   * `SETTLEKIT_TESTNET_URL` for the testnet, and `SETTLEKIT_SANDBOX_URL` or `http://127.0.0.1:4010` for the sandbox.
   */
  baseUrl?: string | undefined;
  /**
   * Allows plain http to a sandbox on another machine, such as a container. Only for the environment `sandbox` with a
   * test key. Default: true if `SETTLEKIT_SANDBOX_ALLOW_HTTP` is `1`.
   */
  allowHttp?: boolean | undefined;
  /** The maximum number of concurrent requests; the others queue. Default: no limit. */
  maxConcurrency?: number | undefined;
  /**
   * Separates the idempotency keys that `createOnce` derives when several systems share a merchant. It does not
   * separate their withdrawals, which are looked up by `orderId`: two systems must never use the same one. Default:
   * `SETTLEKIT_IDEMPOTENCY_NAMESPACE`, else `default`.
   */
  idempotencyNamespace?: string | undefined;
  /**
   * Added to the init of every fetch, for example a `dispatcher` for a proxy or client certificates. A dispatcher works
   * only with the `fetch` of its own copy of undici: pass that as `fetch`, too. Fields that requests set themselves,
   * such as `headers`, are refused.
   */
  fetchOptions?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Hooks with ky's signatures, called around every attempt: `beforeRequest` for tracing headers or a proxy's URL,
   * `afterResponse` for logs.
   */
  hooks?: ClientHooks | undefined;
}

/** The client's options combined with environment variables and defaults, checked. */
export interface Configuration extends HttpSettings {
  readonly environment: Environment;
}

type Variables = Readonly<Record<string, string | undefined>>;

const someText = "idempotencyNamespace must be a non-empty string.";

const functions = <Hook>() => {
  const hook = z.custom<Hook>(isFunction, must("a function"));
  return z.optional(z.readonly(z.array(hook, must("an array of functions"))));
};

const clientSchema = z.strictObject({
  // Checked by readSecretKey and readEnvironment, whose errors never show a key.
  secretKey: z.optional(z.custom<NonNullable<ClientOptions["secretKey"]>>()),
  environment: z.optional(z.custom<Environment>()),
  allowHttp: z.optional(z.boolean({ error: "allowHttp must be true or false." })),
  maxConcurrency: z._default(
    z.custom<number>(
      (value) =>
        value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && Number(value) > 0),
      must("a positive whole number"),
    ),
    Number.POSITIVE_INFINITY,
  ),
  idempotencyNamespace: z.optional(z.string(someText).check(z.minLength(1, someText))),
  fetchOptions: z.optional(
    z.custom<Readonly<Record<string, unknown>>>(
      isRecord,
      "fetchOptions must be an object, such as { dispatcher }.",
    ),
  ),
  hooks: z.optional(
    z.strictObject({
      beforeRequest: functions<BeforeRequestHook>(),
      afterResponse: functions<AfterResponseHook>(),
    }),
  ),
  ...connectionFields,
});
true satisfies Same<ClientOptions, z.input<typeof clientSchema>>;

/**
 * Completes and checks the client's options.
 *
 * @throws {ConfigurationError} naming the option in `param`, before anything is sent.
 */
export function configure(
  given: ClientOptions = {},
  variables: Variables = processVariables(),
): Configuration {
  const { secretKey, maxConcurrency, ...options } = checkOptions(clientSchema, given);
  const environment = readEnvironment(options, variables);
  const allowHttp = readAllowHttp(options.allowHttp, environment, variables);
  const baseUrl = readBaseUrl(options, environment, variables, allowHttp);
  const credential = readSecretKey(secretKey, environment, variables, baseUrl);
  const fetchOptions = Object.freeze(checkFetchOptions(options));
  const settings = {
    ...connectionSettings(options, variables.SETTLEKIT_HEADER_PREFIX),
    limit: pLimit(maxConcurrency),
    hooks: options.hooks && watched(options.hooks),
    // From a variable, too, so that the command line derives the same keys as the program.
    idempotencyNamespace:
      options.idempotencyNamespace ?? (variables.SETTLEKIT_IDEMPOTENCY_NAMESPACE || "default"),
  };
  return Object.freeze({ ...settings, environment, allowHttp, baseUrl, credential, fetchOptions });
}

/** Fields of fetch's init that every request sets itself. */
const setByRequests = ["method", "body", "headers", "signal", "redirect", "cache"];

function checkFetchOptions({ fetch, fetchOptions = {} }: ClientOptions) {
  const refused = (param: string, rule: string) => invalidOption(param, `${param} ${rule}`);
  const overridden = setByRequests.find((name) => fetchOptions[name] !== undefined);
  if (overridden !== undefined) {
    const cure = "Leave it out. headers is an option of its own, and each call takes a signal.";
    const rule = `would have no effect, because every request sets its own. ${cure}`;
    throw refused(`fetchOptions.${overridden}`, rule);
  }
  const { agent, dispatcher } = fetchOptions;
  // A custom fetch may take an agent, or a different kind of dispatcher.
  if (!fetch && agent !== undefined) {
    const cure =
      "Use an undici dispatcher, such as new ProxyAgent(url), or pass a fetch that takes it";
    throw refused("fetchOptions.agent", `would have no effect on the global fetch. ${cure}.`);
  }
  if (!fetch && dispatcher !== undefined && typeof Object(dispatcher).dispatch !== "function") {
    const rule = "must be an undici dispatcher, such as new ProxyAgent(url)";
    throw refused("fetchOptions.dispatcher", `${rule}, got ${show(dispatcher)}.`);
  }
  return { ...fetchOptions };
}

/** Reads each variable only when needed, because Deno asks for permission for each. */
function processVariables(): Variables {
  return new Proxy({}, { get: (_, name) => environmentVariable(String(name)) });
}

const urlVariables: Record<Environment, string> = {
  production: "SETTLEKIT_BASE_URL",
  testnet: "SETTLEKIT_TESTNET_URL",
  sandbox: "SETTLEKIT_SANDBOX_URL",
};

const environments = Object.keys(urlVariables) as Environment[];

function readEnvironment(options: ClientOptions, variables: Variables): Environment {
  const { environment: given }: { environment?: unknown } = options;
  const value = given === undefined ? variables.SETTLEKIT_ENVIRONMENT || "production" : given;
  const environment = environments.find((known) => known === value);
  if (environment !== undefined) return environment;
  // Anything else may be a key in the wrong variable.
  const isWord = typeof value === "string" && /^[a-z]{1,20}$/i.test(value);
  const meant = isWord ? nearest(value, environments) : undefined;
  throw invalidOption(
    "environment",
    `${isWord ? `There is no environment "${value}"` : "The environment is not valid"}.${meant ? ` Did you mean ${meant}?` : ""} ` +
      'Set environment (or SETTLEKIT_ENVIRONMENT) to "production", "testnet" or "sandbox".',
    "unknown_environment",
  );
}

function readSecretKey(
  secretKey: ClientOptions["secretKey"],
  environment: Environment,
  variables: Variables,
  baseUrl: string,
): CredentialSource {
  const isReadable = !isSecureUrl(new URL(baseUrl), false);
  const check = (value: unknown, name?: string) => {
    const key = checkSecretKey(value, environment, name);
    if (!isReadable || key.startsWith("sk_test_")) return key;
    throw invalidOption(
      "secretKey",
      "The base URL is plain http to another machine, so the key can be read in transit. Use https, or a test " +
        "key: one that starts with sk_test_.",
      "production_key_in_test",
    );
  };
  if (typeof secretKey === "function") {
    const value = async () => check(await secretKey());
    return { param: "secretKey", value, provider: secretKey };
  }
  const variable = "SETTLEKIT_SECRET_KEY";
  const value = secretKey === undefined ? variables[variable] || undefined : secretKey;
  if (value === undefined) {
    throw invalidOption(
      "secretKey",
      `There is no secret key. Pass secretKey, or set the environment variable ${variable}.`,
      "missing_credential",
    );
  }
  const key = check(value, secretKey === undefined ? variable : undefined);
  return { param: "secretKey", value: key };
}

function readBaseUrl(
  options: ClientOptions,
  environment: Environment,
  variables: Variables,
  allowHttp: boolean,
): string {
  const variable = urlVariables[environment];
  const value =
    options.baseUrl ??
    (variables[variable] || (environment === "sandbox" ? defaultSandboxUrl : undefined));
  if (value === undefined) {
    const isChosen = options.environment ?? variables.SETTLEKIT_ENVIRONMENT;
    throw invalidOption(
      "baseUrl",
      `There is no base URL for "${environment}"${isChosen ? "" : ", the default environment"}. ` +
        `Pass baseUrl, or set ${variable}, to the URL that the service gave you. To try it out first, run your ` +
        'program with "npx settlekit exec", or set environment to "sandbox" and start "npx settlekit sandbox".',
      "missing_base_url",
    );
  }
  const httpCure =
    environment === "sandbox" && !allowHttp
      ? " For a sandbox on another machine, set allowHttp to true or SETTLEKIT_SANDBOX_ALLOW_HTTP to 1."
      : "";
  const name = options.baseUrl === undefined ? variable : "baseUrl";
  return checkBaseUrl(value, { allowHttp, httpCure, name });
}

/** Plain http exposes the key to the network, so only a sandbox, which takes test keys, may use it. */
function readAllowHttp(
  allowHttp: boolean | undefined,
  environment: Environment,
  variables: Variables,
): boolean {
  if (environment === "sandbox") return allowHttp ?? variables.SETTLEKIT_SANDBOX_ALLOW_HTTP === "1";
  if (!allowHttp) return false;
  throw invalidOption(
    "allowHttp",
    `allowHttp is only for the environment "sandbox", but the environment is "${environment}". Use https.`,
  );
}
