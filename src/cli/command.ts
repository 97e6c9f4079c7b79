import { type OrErrorOptions, object } from "@optique/core/constructs";
import { lineBreak, type Message, message, optionName, text } from "@optique/core/message";
import { type FluentParser, map } from "@optique/core/modifiers";
import type { NonEmptyString } from "@optique/core/nonempty";
import type { InferValue, Parser } from "@optique/core/parser";
import { argument, command, option } from "@optique/core/primitives";
import type { OptionName } from "@optique/core/usage";
import { string, type ValueParser, type ValueParserResult } from "@optique/core/valueparser";
import { InvalidRequestError } from "../errors.ts";
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
  /** May have several lines. */
  readonly description?: string | undefined;
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
 * Defines a command. Before it runs, its option `dotenv` loads a file, `json` makes the terminal print JSON, and `secret`
 * is concealed. They may also be in a group `common`.
 */
export function defineCommand<const Given extends Options>(
  definition: CommandDefinition<Given>,
): Command {
  const { name, brief, description, examples, options, run } = definition;
  const parser = object("Options", options as Options, { errors: suggesting() });
  const ready = map(parser, (given): Run => {
    const values = given as ValuesOf<Given>;
    const common: Partial<ValuesOf<Options>> = { ...values, ...Object(values.common) };
    return async (terminal) => {
      if ("dotenv" in common) loadVariables(common.dotenv, terminal);
      terminal.conceal(String(common.secret ?? ""));
      terminal.asJson = common.json === true;
      if (common.json && common.csv) throw new UsageError("Pass --csv or --json, not both.");
      return (await run(values, terminal)) ?? exitCodes.ok;
    };
  });
  const shown =
    examples.length > 1 ? examples : examples.flatMap((line) => [line, `${line} --json`]);
  const footer = lines(["Examples:", ...shown].join("\n  "));
  const prose = description ? lines(description) : [];
  const texts = { brief: [text(brief)], description: prose, footer };
  const words = name.split(" ");
  return { words, parser: command(words.at(-1) ?? "", ready, texts) };
}

/** Suggests only the nearest name: the library passes everything similar, nearest first. If none is, gives the advice. */
export const suggesting = (...advice: string[]): OrErrorOptions => ({
  suggestions: ([it]) => (it ? message`Did you mean ${optionName(it)}?` : advice.map(text)),
});

/** A message that keeps the text's line breaks and indentation. */
export function lines(all: string): Message {
  return all
    .split("\n")
    .flatMap((line) => [lineBreak(), text(line)])
    .slice(1);
}

/** Infers the type only from the value parser, not from the context. */
type ValueReader<T> = FluentParser<"sync", NoInfer<T>, ValueParserResult<NoInfer<T>> | undefined>;

/**
 * An option with a value. Its flag is written as in the help: `--seed TEXT`, or with a synonym.
 *
 * @param parser Parses the value. By default, any text is accepted.
 */
export function setting<T = string>(
  flag: `--${string} ${string}`,
  description: string,
  parser = string() as ValueParser<"sync", unknown> as ValueParser<"sync", T>,
): ValueReader<T> {
  const [name, ...others] = flag.split(/,? /) as [OptionName, ...OptionName[]];
  const value = given(parser, others.pop() ?? "", name);
  return option(name, ...others, value, { description: [text(description)] });
}

export function toggle(name: OptionName, description: string) {
  return option(name, { description: [text(description)] });
}

/**
 * A positional argument, such as an id.
 *
 * @param parser Parses the value. By default, any text is accepted.
 */
export function operand<T = string>(
  metavar: string,
  description: string,
  parser = string() as ValueParser<"sync", unknown> as ValueParser<"sync", T>,
): ValueReader<T> {
  const errors = { endOfInput: [text(`Missing argument \`${metavar}\`: ${description}`)] };
  return argument(given(parser, metavar), { description: [text(description)], errors });
}

/** Rejects an empty value, and the next option where a value was forgotten. */
function given<T>(parser: ValueParser<"sync", T>, metavar: string, name = metavar): typeof parser {
  return {
    ...parser,
    metavar: metavar as NonEmptyString,
    parse(input) {
      // Thrown, because the library would rather report what follows as unexpected.
      if (input.startsWith("--"))
        throw new UsageError(`\`${name}\`: A value is missing: "${input}" is an option.`);
      if (input !== "") return parser.parse(input);
      const error = message`The value is empty, perhaps because a variable is not set. Pass one.`;
      return { success: false, error };
    },
  };
}

/** Creates a value parser from a function that throws an error for invalid text. */
export function readBy<T>(read: (input: string) => T): ValueParser<"sync", T> {
  return {
    mode: "sync",
    // The option or operand has its own metavar, and only prompts use the placeholder.
    metavar: "VALUE",
    placeholder: undefined as T,
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
