import { message } from "@optique/core/message";
import { choice, integer, string, type ValueParser } from "@optique/core/valueparser";
import * as z from "zod/mini";
import type { MerchantClient } from "../client.ts";
import type { ClientOptions } from "../options.ts";
import { readBy, setting, toggle } from "./command.ts";
import { UsageError } from "./exit-codes.ts";

// The options that several commands share, and the parsers of their values.

/** A path, which shells can complete. */
export const path: ValueParser<"sync", string> = {
  ...string(),
  *suggest(prefix) {
    yield { kind: "file", type: "any", pattern: prefix, includeHidden: prefix.startsWith(".") };
  },
};

/** Any text. Shells complete the known ones. */
export const textSuchAs = (known: readonly string[]): ValueParser<"sync", string> => ({
  ...string(),
  *suggest(prefix) {
    for (const text of known) if (text.startsWith(prefix)) yield { kind: "literal", text };
  },
});

/** One of a few names. For a misspelt one, the message suggests the nearest. */
export const oneOf = <const T extends string>(names: readonly T[]) =>
  choice(names, { suggest: { maxSuggestions: 1 } });

/** An amount: "25.00" probably means dollars. */
export function centsFrom(bounds: { min?: number; max?: number }) {
  const invalidInteger = (input: string) =>
    message`Expected a whole number of USD cents, but got ${input}. 25 dollars are 2500.`;
  return integer({ ...bounds, errors: { invalidInteger } });
}

/** 0 takes any free one. */
export const port = integer({ min: 0, max: 65_535 });

/** A URL without credentials, because they would not be sent. */
export const webUrl = readBy((input) => {
  const url = URL.parse(input);
  if (url && /^https?:$/.test(url.protocol) && url.username + url.password === "") return url;
  throw new UsageError(
    'Expected a complete http or https URL without credentials, such as "http://127.0.0.1:3000/webhooks".',
  );
});

const isoInstant = z.union([
  z.iso.date(),
  z.iso.datetime({ offset: true }),
  z.iso.datetime({ offset: true, precision: -1 }),
]);

/** A point in time. A time of day needs a time zone: otherwise it would differ between machines. */
export const instant = readBy((input) => {
  if (isoInstant.safeParse(input).success) return new Date(input);
  throw new UsageError(
    "Expected a date, or a time with a time zone, such as 2026-01-01 or 2026-01-01T12:00:00Z.",
  );
});

export const json = toggle("--json", "Print lines of JSON on stdout, and no prose.");

export const csv = toggle("--csv", "Print CSV on stdout.");

export function listenOptions(defaultPort: number) {
  const description = `The port to listen on; 0 takes any free one. Default: ${defaultPort}.`;
  return {
    port: setting("--port PORT", description, port).withDefault(defaultPort),
    host: setting(
      "--host HOST",
      "The interface to listen on. Default: 127.0.0.1, which other machines cannot reach.",
    ).withDefault("127.0.0.1"),
  };
}

/** Not --env-file: Node looks for it even among a script's own arguments, and refuses a missing file. */
export const dotenv = setting(
  "--dotenv PATH",
  "Read variables from this file. Variables that are already set take precedence.",
  path,
).optional();

/** If omitted, the library reads the variable. */
export const headerPrefix = setting(
  "--header-prefix PREFIX",
  "The prefix of the service's header names. Default: SETTLEKIT_HEADER_PREFIX, else X-Service.",
).optional();

export const production = toggle("--production", "Required to move real money.");

/** For commands that call the service, or stand in for it. */
export const serviceOptions = { json, headerPrefix, dotenv };

/** For calls that carry no secret key: the client asks for it only when a call needs it. */
export const noKey = () => "";

/** The client that options and variables describe. It is loaded late, so that help does not wait for it. */
export async function clientFrom(options: ClientOptions): Promise<MerchantClient> {
  const { MerchantClient } = await import("../client.ts");
  return new MerchantClient(options);
}

const secretOption = (what: string, variable: string) =>
  setting(
    "--secret SECRET",
    `${what} Default: ${variable}, which, unlike the option, does not show in the list of processes.`,
  ).optional();

export const webhookSecret = secretOption("The webhook secret.", "SETTLEKIT_WEBHOOK_SECRET");
export const paymentSecret = secretOption("The payment's secret.", "SETTLEKIT_PAYMENT_SECRET");

/** @throws {UsageError} There is none. */
export function secretFrom(secret: string | undefined, kind: "webhook" | "payment"): string {
  const variable = `SETTLEKIT_${kind.toUpperCase()}_SECRET`;
  const found = secret ?? process.env[variable];
  if (found) return found;
  throw new UsageError(`There is no ${kind} secret. Set ${variable}, or pass --secret.`);
}
