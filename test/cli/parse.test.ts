import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Command, defineCommand } from "../../src/cli/arguments/command.ts";
import { helpFor } from "../../src/cli/arguments/help.ts";
import { nearest } from "../../src/cli/arguments/nearest.ts";
import { parse } from "../../src/cli/arguments/parse.ts";
import { UsageError } from "../../src/cli/arguments/usage-error.ts";

const definition = {
  name: "bake",
  description: ["Bakes."],
  options: {
    oven: { value: "<name>", description: "Which oven." },
    spice: { value: "<name>", multiple: true, description: "Several." },
    "extra-hot": { description: "Hotter." },
  },
  examples: ["settlekit bake"],
  run: async () => 0,
} as const;

const plain = defineCommand(definition);
const withOperands = defineCommand({ ...definition, operands: "<cake>" });
const runningAnother = defineCommand({ ...definition, operands: "<command>", runsAnother: true });

const refusal = (command: Command, ...args: string[]) => {
  try {
    parse(command, args);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return undefined;
};

describe("parsing", () => {
  test("gives every option a value, said or not", () => {
    expect(parse(plain, []).values).toEqual({ oven: undefined, spice: [], "extra-hot": false });
    const args = ["--oven", "a", "--spice=b", "--extra-hot", "--spice", "c=d"];
    expect(parse(plain, args).values).toEqual({
      oven: "a",
      spice: ["b", "c=d"],
      "extra-hot": true,
    });
  });

  test("takes a value that begins with a hyphen after =, and not as the next word", () => {
    expect(parse(plain, ["--oven=-a"]).values.oven).toBe("-a");
    expect(refusal(plain, "--oven", "--extra-hot")).toContain(
      "--oven needs a value: --oven <name>",
    );
    expect(refusal(plain, "--oven")).toContain("--oven needs a value");
  });

  test("refuses an empty value, which a variable that is not set leaves behind", () => {
    for (const args of [["--oven="], ["--oven", ""], ["--spice", "a", "--spice", ""]]) {
      expect(refusal(plain, ...args)).toMatch(/^--(oven|spice) is empty, perhaps because/);
    }
  });

  test("a switch takes no value", () => {
    expect(refusal(plain, "--extra-hot=yes")).toContain("--extra-hot takes no value");
  });

  test.each(["--ovn", "--no-oven", "--__proto__", "--constructor=a", "-o"])(
    "%s is no option, and the answer names those there are",
    (option) => {
      expect(refusal(plain, option)).toContain(`has no option ${option.split("=")[0]}.`);
      expect(refusal(plain, option)).toContain("It has --oven, --spice, --extra-hot, --help.");
    },
  );

  test("the nearest option is suggested", () => {
    expect(refusal(plain, "--ovn")).toContain("Did you mean --oven?");
    expect(refusal(plain, "--extra")).toContain("Did you mean --extra-hot?");
    expect(refusal(plain, "--zzzzzz")).not.toContain("Did you mean");
  });

  test("operands are refused where there are none, and given where there are", () => {
    expect(refusal(plain, "pie")).toContain('takes options only, and "pie" is none');
    expect(parse(withOperands, ["pie", "--oven", "a"]).operands).toEqual(["pie"]);
  });

  test("what comes after two hyphens belongs to the other command", () => {
    const args = ["--oven", "a", "--", "npm", "test", "--oven", "b", "--help"];
    const parsed = parse(runningAnother, args);
    expect(parsed.operands).toEqual(["npm", "test", "--oven", "b", "--help"]);
    expect(parsed.values.oven).toBe("a");
    expect(parsed.wantsHelp).toBe(false);
    expect(refusal(runningAnother, "npm", "--coverage")).toContain("settlekit bake -- npm ...");
  });

  test("help is wanted wherever it is asked for", () => {
    expect(parse(plain, ["--oven", "a", "-h"]).wantsHelp).toBe(true);
  });

  test("any arguments are parsed or refused with a message, never anything else", () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom("--", "-", "--oven", "--spice=", "--extra-hot", "--__proto__=1", "-hx"),
    );
    fc.assert(
      fc.property(fc.array(word), (args) => {
        for (const command of [plain, withOperands, runningAnother]) refusal(command, ...args);
        expect(Object.getPrototypeOf({})).toBe(Object.prototype);
      }),
    );
  });
});

describe("the help", () => {
  test("shows operands, placeholders and repeatable options", () => {
    expect(helpFor(withOperands)).toContain("Usage: settlekit bake <cake> [options]");
    expect(helpFor(runningAnother)).toContain("Usage: settlekit bake [options] -- <command>");
    expect(helpFor(plain)).toMatch(/^ {2}--spice <name> \.\.\. {2}Several\.$/m);
    expect(helpFor(plain)).toMatch(/^ {2}--extra-hot {9}Hotter\.$/m);
  });
});

describe("the nearest name", () => {
  test.each([
    ["sandbox", "sandbox"],
    ["sandbxo", "sandbox"],
    ["snadbox", "sandbox"],
    ["sand", "sandbox"],
    ["excec", "exec"],
    ["deploy", undefined],
    ["", undefined],
  ])("to %j is %j", (text, expected) => {
    expect(nearest(text, ["sandbox", "exec", "listen"])).toBe(expected);
  });

  test("is never far away: one swapped pair of letters always finds the name", () => {
    const name = "webhook-url";
    fc.assert(
      fc.property(fc.nat(name.length - 2), (index) => {
        const swapped =
          name.slice(0, index) + name[index + 1] + name[index] + name.slice(index + 2);
        expect(nearest(swapped, ["port", name, "seed"])).toBe(name);
      }),
    );
  });
});
