import type { Terminal } from "../terminal.ts";

/** One option of a command: a switch, or with `value` one that takes a value. */
interface Option {
  /** What stands for the value in the help, such as `<url>`. */
  readonly value?: string;
  /** It may be given several times. */
  readonly multiple?: true;
  readonly description: string;
}

type Options = Readonly<Record<string, Option>>;

/** What the command line said for each option. */
type Values<O extends Options> = {
  readonly [Name in keyof O]: O[Name] extends { value: string }
    ? O[Name] extends { multiple: true }
      ? readonly string[]
      : string | undefined
    : boolean;
};

interface Invocation<O extends Options> {
  readonly values: Values<O>;
  /** What is no option; after `--` for a command that runs another. */
  readonly operands: readonly string[];
  readonly terminal: Terminal;
}

/** A command as it explains itself and as it runs. */
export interface Command<O extends Options = Options> {
  readonly name: string;
  /** What follows the name in the help, such as `<event>`. Without it there are no operands. */
  readonly operands?: string;
  /** Its operands are another command line and stand after `--`. */
  readonly runsAnother?: true;
  /** Complete lines. */
  readonly description: readonly string[];
  readonly options: O;
  readonly examples: readonly string[];
  /** Gives the exit code. */
  run(invocation: Invocation<O>): Promise<number>;
}

/** Lets `run` know its options by type. */
export function defineCommand<const O extends Options>(command: Command<O>): Command {
  return command;
}
