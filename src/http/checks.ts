import * as z from "zod/mini";
import { ConfigurationError } from "../errors.ts";
import { show, withoutKeys } from "../values.ts";
import { credentialHeaderNames, idempotencyKeyHeader } from "../wire/credential.ts";
import { checkOptions, type Same } from "../wire/fields.ts";
import type { ClientEvent, Logger } from "./events.ts";
import type { AfterResponseHook, BeforeRequestHook, ClientHooks } from "./hooks.ts";
import {
  type ConnectionOptions,
  defaults,
  type Fetch,
  type HttpSettings,
  type RequestOptions,
  type WireOptions,
} from "./settings.ts";

/** A rule for an option. The message names the option and shows the value. */
function must(rule: string, cure = "") {
  return {
    error: ({ path = [], input }: z.core.$ZodRawIssue) =>
      `${path.join(".")} must be ${rule}, got ${show(input)}.${cure}`,
  };
}

/** The longest time that timers can wait: a signed 32-bit number of milliseconds. */
const maxLimitMs = 2_147_483_647;

const milliseconds = must(`a number of milliseconds from 1 to ${maxLimitMs}`);
const limitSchema = z
  .number(milliseconds)
  .check(z.positive(milliseconds), z.lte(maxLimitMs, milliseconds));

const retries = must("a whole number from 0 on", " 0 sends exactly one request.");
const retriesSchema = z.int(retries).check(z.gte(0, retries));

const someBytes = must("a whole number of bytes from 1 on");
const bytesSchema = z.int(someBytes).check(z.gte(1, someBytes));

const isFunction = (value: unknown) => typeof value === "function";
const aFunction = must("a function");
const someFunctions = must("an array of functions");

const headersSchema = z.custom<Readonly<Record<string, string>>>(
  (value) => typeof value === "object" && value !== null && !(value instanceof Headers),
  // Headers often contain tokens, so their values are never shown.
  {
    error: "headers must be a plain object of names and values.",
    params: { code: "invalid_header" },
  },
);

const token = must("letters, digits and hyphens, such as X-Service");
const prefixSchema = z.string(token).check(z.regex(/^[A-Za-z0-9-]{1,100}$/, token));

const wireSchema = z.strictObject({
  headerPrefix: z.optional(prefixSchema),
  requestIdHeader: z.optional(prefixSchema),
  chainIdFormat: z.optional(z.enum(["number", "caip2"], must('"number" or "caip2"'))),
  withdrawalIdempotency: z.optional(
    z.enum(["unknown", "honoured"], must('"unknown" or "honoured"')),
  ),
});
true satisfies Same<WireOptions, z.input<typeof wireSchema>>;

/** The options that the constructors of all clients have in common. */
export const connectionFields = {
  baseUrl: z.optional(z.string(must("a URL, as text"))),
  fetch: z.optional(
    z.custom<Fetch>(isFunction, { error: "fetch must be a function like the global fetch." }),
  ),
  timeoutMs: z.optional(limitSchema),
  deadlineMs: z.optional(limitSchema),
  maxRetries: z.optional(retriesSchema),
  maxResponseBytes: z.optional(bytesSchema),
  headers: z.optional(headersSchema),
  headerPrefix: z.optional(prefixSchema),
  logger: z.optional(
    z.custom<Logger>(
      (value) => typeof value === "object" || isFunction(value),
      must("an object such as console"),
    ),
  ),
  onEvent: z.optional(z.custom<(event: ClientEvent) => void>(isFunction, aFunction)),
  wire: z.optional(wireSchema),
};

export const hooksSchema = z.strictObject({
  beforeRequest: z.optional(
    z.array(z.custom<BeforeRequestHook>(isFunction, aFunction), someFunctions),
  ),
  afterResponse: z.optional(
    z.array(z.custom<AfterResponseHook>(isFunction, aFunction), someFunctions),
  ),
});
true satisfies Same<ClientHooks, z.input<typeof hooksSchema>>;

const callSchema = z.strictObject({
  // Checked where it is sent, as an argument of the request.
  idempotencyKey: z.optional(z.custom<string>()),
  signal: z.optional(
    z.instanceof(AbortSignal, {
      error: "signal must be an AbortSignal, such as controller.signal.",
    }),
  ),
  timeoutMs: z.optional(limitSchema),
  deadlineMs: z.optional(limitSchema),
  maxRetries: z.optional(retriesSchema),
  headers: z.optional(headersSchema),
});
true satisfies Same<RequestOptions, z.input<typeof callSchema>>;

/** The options that every call has. */
export const callOptionNames: readonly string[] = Object.keys(callSchema.shape);

/** Refuses misspelt options: without its key, for example, a call would use a random one. */
export function checkCallOptions(options: RequestOptions): void {
  checkOptions(
    callSchema,
    options,
    "The options of a call must be an object, such as { timeoutMs: 5000 }.",
  );
}

export function checkLimit(param: "timeoutMs" | "deadlineMs", value: number): number {
  checkOptions(z.strictObject({ [param]: limitSchema }), { [param]: value }, "");
  return value;
}

/** The settings from these options and the defaults. */
export function connectionSettings(
  { headers = {}, headerPrefix, wire = {}, ...others }: ConnectionOptions,
  variables: { readonly SETTLEKIT_HEADER_PREFIX?: string | undefined } = {},
): Omit<HttpSettings, "baseUrl" | "credential"> {
  const prefix = checkHeaderPrefix(headerPrefix, wire.headerPrefix, variables);
  return {
    ...defaults,
    ...given(others),
    headers: Object.freeze(checkHeaders(headers, prefix)),
    wire: Object.freeze({ ...defaults.wire, ...given(wire), headerPrefix: prefix }),
  };
}

/** Without undefined values, which mean the default. */
function given<T extends object>(options: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof T]: Exclude<T[Name], undefined> };
}

function checkHeaderPrefix(
  own: string | undefined,
  ofWire: string | undefined,
  { SETTLEKIT_HEADER_PREFIX: variable }: { readonly SETTLEKIT_HEADER_PREFIX?: string | undefined },
): string {
  const refuse = (fact: string) => {
    throw new ConfigurationError(fact, { code: "invalid_option", param: "headerPrefix" });
  };
  if (own !== undefined && ofWire !== undefined && own !== ofWire) {
    refuse("headerPrefix and wire.headerPrefix differ, and mean the same. Give one of them.");
  }
  const prefix = own ?? ofWire;
  if (prefix !== undefined) return prefix;
  if (!variable) return defaults.wire.headerPrefix;
  if (!prefixSchema.safeParse(variable).success) {
    refuse("SETTLEKIT_HEADER_PREFIX must be letters, digits and hyphens, such as X-Service.");
  }
  return variable;
}

const transportHeaders = new Set(
  "connection content-length expect host keep-alive te trailer transfer-encoding upgrade".split(
    " ",
  ),
);

/**
 * Returns the headers with their names in lower case. Errors never contain values, because headers often contain tokens.
 */
export function checkHeaders(
  headers: Readonly<Record<string, string>>,
  headerPrefix: string,
): Record<string, string> {
  const checked: Record<string, string> = {};
  const reserved = [...credentialHeaderNames(headerPrefix), idempotencyKeyHeader].map((name) =>
    name.toLowerCase(),
  );
  for (const [name, value] of Object.entries(headers)) {
    const lowerCase = name.toLowerCase();
    const fail = (fact: string) =>
      new ConfigurationError(withoutKeys(`headers: ${fact}`), {
        code: "invalid_header",
        param: "headers",
      });
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/.test(name)) {
      throw fail("a name is not a header name. Use letters, digits and hyphens.");
    }
    if (reserved.includes(lowerCase)) {
      throw fail(
        `${name} is set by settlekit itself. Use secretKey for the credential and idempotencyKey for ` +
          "the key.",
      );
    }
    if (transportHeaders.has(lowerCase)) {
      throw fail(`${name} belongs to the connection, which fetch keeps. Leave it out.`);
    }
    if (typeof value !== "string" || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw fail(`the value of ${name} has a line break or a character that headers cannot carry.`);
    }
    checked[lowerCase] = value;
  }
  return checked;
}
