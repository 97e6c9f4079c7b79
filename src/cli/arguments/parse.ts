import { parseArgs } from "node:util";
import type { Command } from "./command.ts";
import { nearest } from "./nearest.ts";
import { UsageError } from "./usage-error.ts";

interface Parsed {
  readonly values: Record<string, string | boolean | string[] | undefined>;
  readonly operands: readonly string[];
  readonly wantsHelp: boolean;
}

/**
 * Reads a command's arguments.
 *
 * @throws {UsageError} saying what there is instead.
 */
export function parse(command: Command, args: readonly string[]): Parsed {
  const values: Parsed["values"] = {};
  const parserOptions: Record<string, { type: "string" | "boolean"; short?: string }> = {
    help: { type: "boolean", short: "h" },
  };
  for (const [name, { value, multiple }] of Object.entries(command.options)) {
    parserOptions[name] = { type: value === undefined ? "boolean" : "string" };
    values[name] = value === undefined ? false : multiple ? [] : undefined;
  }
  // Not strict: the parser's own complaints do not say what there is.
  const { tokens } = parseArgs({
    args: [...args],
    options: parserOptions,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });

  const operands: string[] = [];
  let wantsHelp = false;
  let isTerminated = false;
  for (const token of tokens) {
    if (token.kind === "option-terminator") isTerminated = true;
    else if (token.kind === "positional") {
      if (command.operands === undefined) throw unexpected(token.value, command);
      if (command.runsAnother && !isTerminated) throw missingTerminator(token.value, command);
      operands.push(token.value);
    } else if (token.name === "help") wantsHelp = true;
    else {
      const value = checkedValue(token, command);
      const list = values[token.name];
      if (Array.isArray(list)) list.push(String(value));
      else values[token.name] = value;
    }
  }
  return { values, operands, wantsHelp };
}

interface OptionToken {
  readonly name: string;
  /** As it was written, with its hyphens. */
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function checkedValue(token: OptionToken, command: Command): string | true {
  const { rawName, value, inlineValue } = token;
  const option = Object.hasOwn(command.options, token.name)
    ? command.options[token.name]
    : undefined;
  if (option === undefined) throw unknownOption(token, command);
  if (option.value === undefined) {
    if (value === undefined) return true;
    throw new UsageError(`${rawName} takes no value: write ${rawName} alone.`);
  }
  // What begins with a hyphen is more likely the next option than a value.
  if (value === undefined || (!inlineValue && value.startsWith("-"))) {
    throw new UsageError(
      `${rawName} needs a value: ${rawName} ${option.value}. One that begins with a hyphen is written ` +
        `${rawName}=-value.`,
    );
  }
  if (value === "") {
    throw new UsageError(
      `${rawName} is empty, perhaps because a variable is not set. Give it a value, or leave it out.`,
    );
  }
  return value;
}

function unknownOption({ name, rawName }: OptionToken, command: Command): UsageError {
  const names = Object.keys(command.options);
  const near = nearest(name, names);
  const guess = near === undefined ? "" : ` Did you mean --${near}?`;
  const all = [...names, "help"].map((known) => `--${known}`).join(", ");
  return new UsageError(
    `"settlekit ${command.name}" has no option ${rawName}.${guess} It has ${all}.`,
  );
}

function unexpected(operand: string, command: Command): UsageError {
  return new UsageError(
    `"settlekit ${command.name}" takes options only, and ${JSON.stringify(operand)} is none.`,
  );
}

function missingTerminator(operand: string, command: Command): UsageError {
  return new UsageError(
    `What "settlekit ${command.name}" runs stands after two hyphens: settlekit ${command.name} -- ` +
      `${operand} ...`,
  );
}
