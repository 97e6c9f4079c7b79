import * as z from "zod/mini";
import { maxTimerMs } from "../duration.ts";
import { ConfigurationError } from "../errors.ts";
import { isRecord, show } from "../values.ts";
import { defaultHeaderPrefix, defaultRequestIdHeader } from "../wire/credential.ts";
import type { Same } from "../wire/fields.ts";
import type { ClientEvent, Logger } from "./events.ts";
import { checkHeaders } from "./headers.ts";
import type { AfterResponseHook, BeforeRequestHook, ClientHooks } from "./hooks.ts";
import type { Fetch, RequestOptions, WireOptions } from "./settings.ts";

/** A rule for an option. The message contains the option's name and value. */
export function must(rule: string, cure = "") {
  return {
    error: ({ path = [], input }: z.core.$ZodRawIssue) =>
      `${path.join(".")} must be ${rule}, got ${show(input)}.${cure}`,
  };
}

const milliseconds = must(`a number of milliseconds from 1 to ${maxTimerMs}`);
const limitSchema = z
  .number(milliseconds)
  .check(z.positive(milliseconds), z.lte(maxTimerMs, milliseconds));

const retries = must("zero or a positive whole number", " 0 sends exactly one request.");
const retriesSchema = z.int(retries).check(z.gte(0, retries));

const someBytes = must("a positive whole number of bytes");
const bytesSchema = z.int(someBytes).check(z.gte(1, someBytes));

const isFunction = (value: unknown) => typeof value === "function";
const aFunction = must("a function");

const headersSchema = z.custom<Readonly<Record<string, string>>>(
  (value) => isRecord(value) && !(Symbol.iterator in value),
  // Headers often contain tokens, so their values are never shown.
  {
    error: "headers must be a plain object of names and values.",
    params: { code: "invalid_header" },
  },
);

const token = must("letters, digits and inner hyphens, such as X-Service");
const prefixSchema = z.string(token).check(z.regex(/^[A-Za-z0-9-]{0,99}[A-Za-z0-9]$/, token));

const wireSchema = z.strictObject({
  headerPrefix: z.optional(prefixSchema),
  requestIdHeader: z._default(prefixSchema, defaultRequestIdHeader),
  chainIdFormat: z._default(z.enum(["number", "caip2"], must('"number" or "caip2"')), "number"),
  withdrawalIdempotency: z._default(
    z.enum(["unknown", "honoured"], must('"unknown" or "honoured"')),
    "unknown",
  ),
});
true satisfies Same<WireOptions, z.input<typeof wireSchema>>;

/** The options shared by all client constructors. */
export const connectionFields = {
  baseUrl: z.optional(z.string(must("a URL, as a string"))),
  fetch: z.optional(z.custom<Fetch>(isFunction, must("a function like the global fetch"))),
  timeoutMs: z._default(limitSchema, 30_000),
  deadlineMs: z._default(limitSchema, 90_000),
  maxRetries: z._default(retriesSchema, 3),
  maxResponseBytes: z._default(bytesSchema, 64 * 1024 * 1024),
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

type CheckedOptions = z.output<z.ZodMiniObject<typeof connectionFields>>;

const functions = <Hook>(hook = z.custom<Hook>(isFunction, aFunction)) =>
  z.optional(z.readonly(z.array(hook, must("an array of functions"))));

export const hooksSchema = z.strictObject({
  beforeRequest: functions<BeforeRequestHook>(),
  afterResponse: functions<AfterResponseHook>(),
});
true satisfies Same<ClientHooks, z.input<typeof hooksSchema>>;

/** The options of every call. Misspelt ones are refused: without its idempotencyKey, a call would use a random one. */
export const callSchema = z.strictObject({
  // Checked when the request is prepared, as an argument.
  idempotencyKey: z.optional(z.custom<string>()),
  signal: z.optional(z.instanceof(AbortSignal, must("an AbortSignal, such as controller.signal"))),
  timeoutMs: z.optional(limitSchema),
  deadlineMs: z.optional(limitSchema),
  maxRetries: z.optional(retriesSchema),
  headers: z.optional(headersSchema),
});
true satisfies Same<RequestOptions, z.input<typeof callSchema>>;

/** The settings that result from checked options. */
export function connectionSettings<Options extends CheckedOptions>(
  options: Options,
  prefixVariable?: string,
) {
  const wire = options.wire ?? wireSchema.parse({});
  const headerPrefix = checkHeaderPrefix(options.headerPrefix, wire.headerPrefix, prefixVariable);
  return {
    ...options,
    headers: Object.freeze(checkHeaders(options.headers ?? {}, headerPrefix)),
    wire: Object.freeze({ ...wire, headerPrefix }),
  };
}

function checkHeaderPrefix(own?: string, ofWire?: string, variable?: string): string {
  const refuse = (fact: string) => {
    throw new ConfigurationError(fact, { code: "invalid_option", param: "headerPrefix" });
  };
  if (own !== undefined && ofWire !== undefined && own !== ofWire) {
    refuse("headerPrefix and wire.headerPrefix mean the same, but differ. Set only one of them.");
  }
  const prefix = own ?? ofWire;
  if (prefix !== undefined) return prefix;
  if (!variable) return defaultHeaderPrefix;
  if (!prefixSchema.safeParse(variable).success) {
    refuse("SETTLEKIT_HEADER_PREFIX must be letters, digits and inner hyphens, such as X-Service.");
  }
  return variable;
}
