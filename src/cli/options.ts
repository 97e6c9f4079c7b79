import { lineBreak, type Message, message, text } from "@optique/core/message";
import { map } from "@optique/core/modifiers";
import type { NonEmptyString } from "@optique/core/nonempty";
import type { Parser } from "@optique/core/parser";
import { command, option } from "@optique/core/primitives";
import type { OptionName } from "@optique/core/usage";
import { float, integer, string, url, type ValueParser } from "@optique/core/valueparser";
import { SettlekitError } from "../errors.ts";
import { requireSupportedNode } from "../runtime.ts";
import { isRecord } from "../values.ts";
import { UsageError } from "./exit-codes.ts";
import type { Terminal } from "./terminal.ts";

/** A parsed command line, ready to run. Resolves with the exit code. */
export type Run = (terminal: Terminal) => Promise<number>;

export type Command = Parser<"sync", Run, unknown>;

/** By what is typed; below a first word there may be several. */
export type Commands = Readonly<Record<string, Command | Readonly<Record<string, Command>>>>;

interface CommandDefinition<Values> {
  readonly name: string;
  /** For the list of commands. */
  readonly brief: Message;
  readonly description: Message;
  /** Complete command lines. */
  readonly examples: readonly string[];
  readonly options: Parser<"sync", Values, unknown>;
  run(values: Values, terminal: Terminal): Promise<number>;
}

export function defineCommand<Values>(definition: CommandDefinition<Values>): Command {
  const { name, brief, description, examples, options, run } = definition;
  const ready = map(
    options,
    (values): Run =>
      async (terminal) => {
        requireSupportedNode();
        return run(values, terminal).catch((error: unknown) => {
          // As a line of JSON, too; `main` explains it on stderr.
          if (asksForJson(values) && SettlekitError.is(error)) {
            terminal.json({ type: "error", error: error.toJSON() });
          }
          throw error;
        });
      },
  );
  const footer = lines("Examples:", ...examples.map((example) => `  ${example}`));
  return command(name, ready, { brief, description, footer });
}

function asksForJson(values: unknown): boolean {
  return isRecord(values) && (values.json === true || asksForJson(values.output));
}

/** Text whose line breaks and indentation stay. */
export function lines(...all: readonly string[]): Message {
  return all.flatMap((line, index) => (index === 0 ? [text(line)] : [lineBreak(), text(line)]));
}

/** An option that takes a value, perhaps under two names. */
export function setting<T>(
  names: OptionName | readonly [OptionName, OptionName],
  parser: ValueParser<"sync", T>,
  description: Message,
) {
  const [first, ...others]: readonly OptionName[] = typeof names === "string" ? [names] : names;
  return option(...([first, ...others] as [OptionName]), given(parser), { description });
}

/** An option without a value. */
export function toggle(name: OptionName, description: Message) {
  return option(name, { description });
}

/** Refuses what is left where a value was forgotten: nothing, or the next option. */
function given<T>(parser: ValueParser<"sync", T>): ValueParser<"sync", T> {
  return {
    ...parser,
    parse(input) {
      if (input === "") {
        const error = message`The value is empty, perhaps because a variable is not set. Pass one, or leave the option out.`;
        return { success: false, error };
      }
      if (input.startsWith("--")) {
        const error = message`A value is missing: ${input} is an option.`;
        return { success: false, error };
      }
      return parser.parse(input);
    },
  };
}

/** A value parser from a function that throws a `UsageError` for text it does not understand. */
export function readBy<T>(
  metavar: NonEmptyString,
  placeholder: T,
  read: (input: string) => T,
): ValueParser<"sync", T> {
  return {
    mode: "sync",
    metavar,
    placeholder,
    parse(input) {
      try {
        return { success: true, value: read(input) };
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        return { success: false, error: [text(error.message)] };
      }
    },
    format: String,
  };
}

export const word = (metavar: NonEmptyString) => string({ metavar });

/** 0 takes any free port. */
export const port = integer({ metavar: "PORT", min: 0, max: 65_535 });

export const seconds = float({ metavar: "SECONDS", min: 0, allowInfinity: true });

const expectedUrl = message`Expected a whole http or https URL, such as ${"http://127.0.0.1:3000/webhooks"}.`;

export const webUrl = url({
  allowedProtocols: ["http:", "https:"],
  errors: { invalidUrl: expectedUrl, disallowedProtocol: expectedUrl },
});

const isoInstant = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;

/** A point in time. A time of day needs its zone: without one it would differ between machines. */
export const instant = readBy("TIME", new Date(0), (input) => {
  const at = new Date(input);
  const day = input.slice(0, 10);
  // `Date` takes February 30 for March 2.
  const isOfCalendar =
    !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);
  if (isoInstant.test(input) && isOfCalendar && !Number.isNaN(at.getTime())) return at;
  throw new UsageError(
    "Expected a date, or a time with its zone, such as 2026-01-01 or 2026-01-01T12:00:00Z.",
  );
});

/** For commands that print data. */
export const json = toggle("--json", message`Print lines of JSON on stdout, and no prose.`);

export const host = setting(
  "--host",
  word("HOST"),
  message`The interface to listen on. Other machines cannot reach the default.`,
).withDefault("127.0.0.1");

/** Not --env-file, which Node looks for among a script's own arguments, and refuses where there is no such file. */
export const dotenv = setting(
  "--dotenv",
  word("PATH"),
  message`Read variables from this file. Those that are set already win.`,
).optional();

/**
 * Adds the file's variables to the environment. No credential among them is printed from then on.
 *
 * @throws {UsageError} The file cannot be read.
 */
export function loadVariables(dotenv: string | undefined, { conceal }: Terminal): void {
  try {
    if (dotenv !== undefined) process.loadEnvFile(dotenv);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--dotenv cannot be read: ${reason}`);
  }
  for (const [name, value = ""] of Object.entries(process.env)) {
    // By its form, too: a key may stand in a wrong variable.
    const isCredential = /(?:KEY|SECRET|TOKEN)$/.test(name) || /^(?:sk|ps|whsec|at)_/.test(value);
    if (name.startsWith("SETTLEKIT_") && isCredential) conceal(value);
  }
}

/** Where it is left out, the library reads the variable. */
export const headerPrefix = setting(
  "--header-prefix",
  word("PREFIX"),
  message`The prefix of the service's header names. Default: SETTLEKIT_HEADER_PREFIX, else X-Service.`,
).optional();

export const webhookSecret = setting(
  "--secret",
  word("SECRET"),
  message`The endpoint's webhook secret. Default: SETTLEKIT_WEBHOOK_SECRET, which other users of the machine do not see in the list of processes.`,
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
