import { object } from "@optique/core/constructs";
import { lineBreak, type Message, message, optionName, text } from "@optique/core/message";
import { type FluentParser, map } from "@optique/core/modifiers";
import type { NonEmptyString } from "@optique/core/nonempty";
import type { InferValue, Parser } from "@optique/core/parser";
import { argument, command, option } from "@optique/core/primitives";
import type { OptionName } from "@optique/core/usage";
import {
  float,
  integer,
  string,
  type ValueParser,
  type ValueParserResult,
} from "@optique/core/valueparser";
import * as z from "zod/mini";
import type { MerchantClient } from "../client.ts";
import { InvalidRequestError } from "../errors.ts";
import type { ClientOptions } from "../options.ts";
import { loadVariables } from "./dotenv-file.ts";
import { exitCodes, UsageError } from "./exit-codes.ts";
import type { Terminal } from "./terminal.ts";

/** A parsed command line, ready to run. Resolves with the exit code, or with a record to print. */
export type Run = (terminal: Terminal) => Promise<number | object>;

export interface Command {
  /** The words to type, such as `payments` and `list`. */
  readonly words: readonly string[];
  /** Parses the arguments, starting with the last word. */
  readonly parser: Parser<"sync", Run, unknown>;
}

type Options = Readonly<Record<string, Parser<"sync", unknown, unknown>>>;

/** The parsed value of each option. */
export type ValuesOf<Given extends Options> = {
  readonly [Name in keyof Given]: InferValue<Given[Name]>;
};

interface CommandDefinition<Given extends Options> {
  /** One word, or two. */
  readonly name: string;
  /** For the list of commands, and the first line of the help. */
  readonly brief: string;
  readonly description?: string | Message | undefined;
  /** Complete command lines. A single one is also shown with `--json`. */
  readonly examples: readonly string[];
  readonly options: Given;
  /** Resolves with a record to print, with the exit code if it is not 0, or with nothing. */
  run(
    values: ValuesOf<Given>,
    terminal: Terminal,
  ): Promise<object | number | undefined> | Promise<void>;
}

/**
 * Defines a command. Before it runs, its option `dotenv` loads a file, and `json` makes the terminal print JSON. Both
 * may also be in a group `common`.
 */
export function defineCommand<const Given extends Options>(
  definition: CommandDefinition<Given>,
): Command {
  const { name, brief, description = [], examples, options, run } = definition;
  const runWith = async (values: ValuesOf<Given>, terminal: Terminal) => {
    const common: Partial<ValuesOf<Options>> = { ...values, ...Object(values.common) };
    if ("dotenv" in common) loadVariables(common.dotenv, terminal);
    terminal.asJson = common.json === true;
    if (common.json && common.csv) throw new UsageError("Pass --csv or --json, not both.");
    return (await run(values, terminal)) ?? exitCodes.ok;
  };
  const parser = object("Options", options as Options, { errors });
  const ready = map(parser, (values): Run => runWith.bind(undefined, values as ValuesOf<Given>));
  const shown =
    examples.length > 1 ? examples : examples.flatMap((line) => [line, `${line} --json`]);
  const footer = lines("Examples:", ...shown.map((example) => `  ${example}`));
  const texts = { brief: prose(brief), description: prose(description), footer };
  const words = name.split(" ");
  return { words, parser: command(words.at(-1) ?? "", ready, texts) };
}

/** Suggests only the nearest name: the library passes everything similar, nearest first. */
export const errors = {
  suggestions: ([it]: readonly string[]) => (it ? message`Did you mean ${optionName(it)}?` : []),
};

function prose(words: string | Message): Message {
  return typeof words === "string" ? [text(words)] : words;
}

/** Text that keeps its line breaks and indentation. */
export function lines(...all: readonly string[]): Message {
  return all.flatMap((line, index) => (index === 0 ? [text(line)] : [lineBreak(), text(line)]));
}

/** Infers the type only from the value parser, not from the context. */
type ValueReader<T> = FluentParser<"sync", NoInfer<T>, ValueParserResult<NoInfer<T>> | undefined>;

/** The default parser. Without a type argument, `T` is `string`. */
const anyText = <T>() => string() as ValueParser<"sync", unknown> as ValueParser<"sync", T>;

/**
 * An option with a value. Its flag is written as in the help: `--seed TEXT`, or with a synonym.
 *
 * @param parser Parses the value. By default, any text is accepted.
 */
export function setting<T = string>(
  flag: `--${string} ${string}`,
  description: string | Message,
  parser = anyText<T>(),
): ValueReader<T> {
  const [name, ...others] = flag.split(/,? /) as [OptionName, ...OptionName[]];
  const metavar = others.pop() as NonEmptyString;
  const value = given({ ...parser, metavar }, "Pass one, or leave the option out.");
  return option(name, ...others, value, { description: prose(description) });
}

export function toggle(name: OptionName, description: string) {
  return option(name, { description: prose(description) });
}

/**
 * A positional argument, such as an id.
 *
 * @param parser Parses the value. By default, any text is accepted.
 */
export function operand<T = string>(
  metavar: string,
  description: string,
  parser = anyText<T>(),
): ValueReader<T> {
  const errors = { endOfInput: [text(`Missing argument \`${metavar}\`.`)] };
  const value = given({ ...parser, metavar: metavar as NonEmptyString }, "Pass one.");
  return argument(value, { description: [text(description)], errors });
}

/** Rejects an empty value, and the next option where a value was forgotten. */
function given<T>(parser: ValueParser<"sync", T>, cure: string): ValueParser<"sync", T> {
  return {
    ...parser,
    parse(input) {
      if (input !== "" && !input.startsWith("--")) return parser.parse(input);
      const error =
        input === ""
          ? message`The value is empty, perhaps because a variable is not set. ${text(cure)}`
          : message`A value is missing: ${input} is an option.`;
      return { success: false, error };
    },
  };
}

/** Creates a value parser from the library's own, or from a function that throws a `UsageError` for invalid text. */
export function readBy<T>(placeholder: T, read: (input: string) => T): ValueParser<"sync", T> {
  return {
    mode: "sync",
    // Replaced by that of its option or operand.
    metavar: "VALUE",
    placeholder,
    parse(input) {
      try {
        return { success: true, value: read(input) };
      } catch (error) {
        if (!(error instanceof UsageError || error instanceof InvalidRequestError)) throw error;
        return { success: false, error: [text(error.message)] };
      }
    },
    format: String,
  };
}

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

/** 0 takes any free port. */
export const port = integer({ min: 0, max: 65_535 });

export const seconds = float({ min: 0, allowInfinity: true });

/** A URL without credentials, because they would not be sent. */
export const webUrl = readBy(new URL("http://localhost"), (input) => {
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
export const instant = readBy(new Date(0), (input) => {
  if (isoInstant.safeParse(input).success) return new Date(input);
  throw new UsageError(
    "Expected a date, or a time with a time zone, such as 2026-01-01 or 2026-01-01T12:00:00Z.",
  );
});

export const json = toggle("--json", "Print lines of JSON on stdout, and no prose.");

export const csv = toggle("--csv", "Print CSV on stdout.");

export function listenOptions(defaultPort: number) {
  const description = "The port to listen on; 0 takes any free one.";
  return {
    port: setting("--port PORT", description, port).withDefault(defaultPort),
    host: setting(
      "--host HOST",
      "The interface to listen on. Other machines cannot reach the default.",
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

export const webhookSecret = setting(
  "--secret SECRET",
  "The endpoint's webhook secret. Default: SETTLEKIT_WEBHOOK_SECRET, which other users of the machine cannot see in the list of processes.",
).optional();

/** @throws {UsageError} There is none. */
export function webhookSecretFrom(secret: string | undefined, { conceal }: Terminal): string {
  const found = secret ?? process.env.SETTLEKIT_WEBHOOK_SECRET;
  if (found) {
    conceal(found);
    return found;
  }
  throw new UsageError(
    "There is no webhook secret. Set SETTLEKIT_WEBHOOK_SECRET, or pass --secret. The sandbox prints " +
      "its own when it starts.",
  );
}
