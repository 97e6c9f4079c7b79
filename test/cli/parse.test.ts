import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { commands, parse } from "../../src/cli/command-line.ts";
import { UsageError } from "../../src/cli/exit-codes.ts";
import { version } from "../../src/runtime.ts";

/** What parsing writes to stdout, and the message of its usage error, if any. */
function outcomeOf(...args: string[]): { written: string; refusal?: string } {
  let written = "";
  const write = (text: string) => {
    written += text;
  };
  try {
    parse(args, { write });
    return { written };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { written, refusal: error.message };
  }
}

/** Every first word of a command. */
const names = new Set(commands.map(({ words: [name = ""] }) => name));

const refusalOf = (...args: string[]) => outcomeOf(...args).refusal;

describe("parsing", () => {
  test("writes nothing for valid arguments", () => {
    const args = ["--host", "::1", "--fault=* reset", "--json", "--fault", "* 503"];
    expect(outcomeOf("sandbox", ...args)).toEqual({ written: "" });
  });

  test("accepts a value that begins with a hyphen, but not the next option", () => {
    expect(refusalOf("sandbox", "--seed", "-a")).toBeUndefined();
    expect(refusalOf("sandbox", "--host", "--json")).toContain('"--json" is an option');
    expect(refusalOf("sandbox", "--host")).toContain("--host");
    // Not that 5 is unexpected.
    expect(refusalOf("payments", "create", "--order-id", "--amount", "5")).toBe(
      '`--order-id`: A value is missing: "--amount" is an option.',
    );
    expect(refusalOf("payments", "get", "--", "--json", "5")).toMatch(
      /^`PAYMENT_ID`: A value is missing: "--json" is/,
    );
  });

  test("refuses an empty value, which an unset variable leaves behind", () => {
    for (const args of [["--host="], ["--host", ""], ["--fault", "* 503", "--fault", ""]]) {
      expect(refusalOf("sandbox", ...args)).toMatch(/--(host|fault).*is empty, perhaps because/);
    }
    expect(refusalOf("payments", "get", "")).toBe(
      "`PAYMENT_ID`: The value is empty, perhaps because a variable is not set. Pass one.",
    );
  });

  test("refuses an unknown type of payment, and suggests the nearest", () => {
    const refusal = refusalOf("payments", "create", "--order-id", "a", "--type", "deposits");
    expect(refusal).toContain('Did you mean "deposit"?');
  });

  test("names a missing argument or option", () => {
    expect(refusalOf("advance")).toMatch(
      /^Missing argument `DURATION`: A whole number with a unit/,
    );
    expect(refusalOf("payments", "get")).toBe("Missing argument `PAYMENT_ID`: Id of the payment.");
    expect(refusalOf("payments", "create")).toBe("Missing option `--order-id`.");
    expect(refusalOf("withdrawals", "create-once")).toBe("Missing option `--amount-in-cents`.");
  });

  test("refuses a value for a switch, and a repeated option that takes one value", () => {
    expect(refusalOf("sandbox", "--json=yes")).toContain("--json");
    expect(refusalOf("sandbox", "--host", "a", "--host", "b")).toContain("--host");
  });

  test.each(["--prt", "--no-json", "--__proto__", "--constructor=a", "-o", "pie"])(
    "refuses %s by name",
    (argument) => {
      expect(refusalOf("sandbox", argument)).toContain(argument.split("=")[0]);
    },
  );

  test("speaks of numbers as their user does", () => {
    expect(refusalOf("sandbox", "--port", "9".repeat(20))).toMatch(/^`--port`: .*"9+"\.$/);
  });

  test("suggests the nearest option of the same command, and the nearest command", () => {
    expect(refusalOf("sandbox", "--prt")).toContain("Did you mean `--port`?");
    expect(refusalOf("listen", "--tolerence", "1")).toContain("Did you mean `--tolerance`?");
    expect(refusalOf("simulate", "id", "overpaiment")).toContain('Did you mean "overpayment"?');
    expect(refusalOf("doctor", "--tolerance", "1")).not.toContain("Did you mean");
    expect(refusalOf("sandbos")).toContain("Did you mean `sandbox`?");
    expect(refusalOf("help", "triger")).toContain("Did you mean `trigger`?");
  });

  test("lists the commands if none is like the misspelt one", () => {
    expect(refusalOf("payments", "retrieve", "id")).toBe(
      "Unexpected option or subcommand: `retrieve`.\n\nCommands of payments: create, get, list, find, wait.",
    );
    expect(refusalOf("deploy")).toMatch(
      /`deploy`\.\n\nA command comes first: init, .*, balances\.$/,
    );
    expect(refusalOf("--dotenv", ".env", "doctor")).toContain("A command comes first: init");
  });

  test("suggests only the nearest name", () => {
    const suggestion = (...args: string[]) => refusalOf(...args)?.split("\n\n")[1];
    expect(suggestion("sandbox", "--prot", "5")).toBe("Did you mean `--port`?");
    expect(suggestion("payments", "create", "--amoun", "5")).toBe("Did you mean `--amount`?");
    expect(suggestion("paymnts", "list")).toBe("Did you mean `payments`?");
  });

  test.each([
    ["--amount", "payments", "create"],
    ["--amount", "simulate", "id", "success"],
    ["--amount-in-cents", "payouts", "plan", "payout_1"],
  ])("refuses dollars for %s of %s", (flag, ...words) => {
    expect(refusalOf(...words, flag, "25.00")).toBe(
      `\`${flag}\`: Expected a whole number of USD cents, but got "25.00". 25 dollars are 2500.`,
    );
    expect(refusalOf("payments", "list", "--offset", "2.5")).not.toContain("cents");
  });

  test.each(["--version", "-v"])("exec npm %s is not taken for settlekit's own version", (flag) => {
    const refusal = expect.stringContaining('settlekit exec -- "npm" ...');
    expect(outcomeOf("exec", "npm", flag)).toEqual({ written: "", refusal });
    expect(outcomeOf("exec", "--seed", "a", "npm", flag)).toEqual({ written: "", refusal });
    expect(outcomeOf("exec", "--", "npm", flag)).toEqual({ written: "" });
  });

  test("leaves everything after -- to the other command", () => {
    expect(outcomeOf("exec", "--seed", "a", "--", "npm", "--seed", "b", "--help")).toEqual({
      written: "",
    });
    expect(refusalOf("exec", "npm", "--coverage")).toContain('settlekit exec -- "npm" ...');
    expect(refusalOf("exec", "--seed", "a", "npm")).toContain('settlekit exec -- "npm" ...');
    expect(refusalOf("exec", "--")).toContain("Missing command to run.");
  });

  test("accepts any arguments or throws a UsageError, and nothing else", () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom("--", "-", "--oven", "--fault=", "--json", "--__proto__=1", "-hx", "npm"),
    );
    const name = fc.constantFrom(...names, "nonsense", "help", "completion");
    fc.assert(
      fc.property(name, fc.array(word), (first, args) => {
        outcomeOf(first, ...args);
        expect(Object.getPrototypeOf({})).toBe(Object.prototype);
      }),
    );
  });
});

/** `listen`, `payments list` and so on. */
const everyCommand = commands.map(({ words }) => words.join(" "));

describe("the parser's own output", () => {
  test("help names a default as it is typed, without quotation marks", () => {
    const withDefaults = ["sandbox", "listen", "payments wait", "trigger", "init", "payouts sql"];
    const help = withDefaults.map((name) => outcomeOf(...name.split(" "), "--help").written);
    for (const value of ["4010", "127.0.0.1", "4011", "300", "900", "order_1", ".env", "0"]) {
      expect(help.join()).toMatch(RegExp(`Default: ${value}[.,]`));
    }
    expect(help.join()).not.toContain("default: ");
  });

  test.each([["--help"], ["-h"], ["help"]])("%s prints every command", (...args) => {
    const { written } = outcomeOf(...args);
    for (const name of names) {
      expect(written).toMatch(new RegExp(`^  ${name} `, "m"));
    }
  });

  test.each([["--version"], ["-v"]])("%s prints the version alone", (flag) => {
    expect(outcomeOf(flag).written).toBe(`${version}\n`);
  });

  test.each(everyCommand)("the help of %s is plain text, and its examples are accepted", (name) => {
    const words = name.split(" ");
    const { written } = outcomeOf(...words, "--help");
    expect(written).toMatch(new RegExp(`^Usage: settlekit ${name} `, "m"));
    expect(written).not.toContain("`");
    expect(outcomeOf("help", ...words).written).toBe(written);
    const [, examples = ""] = written.split("\nExamples:\n");
    const commandLines = examples.trimEnd().split("\n");
    expect(commandLines.length).toBeGreaterThan(1);
    for (const line of commandLines) {
      const [program, ...args] = Array.from(
        line.matchAll(/"([^"]*)"|(\S+)/g),
        ([, quoted, plain = ""]) => quoted ?? plain,
      );
      expect([program, outcomeOf(...args)]).toEqual(["settlekit", { written: "" }]);
    }
  });

  test.each([0, 1, 20])("any help can be printed on a terminal of width %i", (columns) => {
    for (const words of ["", ...everyCommand]) {
      let written = "";
      const write = (text: string) => {
        written += text;
      };
      parse([...words.split(" "), "--help"].filter(Boolean), { write, columns });
      expect(written).toContain("Usage: settlekit");
    }
  });

  test.each(["bash", "zsh", "fish", "powershell", "pwsh"])(
    "completion for %s suggests commands",
    (shell) => {
      expect(outcomeOf("completion", shell).written).toContain("settlekit");
      expect(outcomeOf("completion", shell, "san").written).toContain("sandbox");
    },
  );

  test("completion suggests the options and values of a command", () => {
    expect(outcomeOf("completion", "bash", "listen", "--for").written).toContain("--forward-to");
    expect(outcomeOf("completion", "bash", "trigger", "pay").written).toContain("payment.updated");
  });

  test("completion lists the shells", () => {
    expect(refusalOf("completion")).toBe("Missing shell name for completion.");
    expect(refusalOf("completion", "nonsense")).toBe(
      'Unsupported shell "nonsense". Available shells: "bash", "fish", "nu", "pwsh", "zsh", "powershell".',
    );
    const { written } = outcomeOf("completion", "--help");
    expect(written).toContain("Usage: settlekit completion");
    expect(written).toContain('"powershell"');
  });

  test.each(["constructor", "toString", "__proto__"])("completion refuses %s", (shell) => {
    expect(refusalOf("completion", shell)).toContain(`Unsupported shell "${shell}". See`);
    expect(refusalOf("completion", shell, "san")).toContain(`Unsupported shell "${shell}". See`);
  });

  test.each([
    ["inbox", "status", "--sqlite"],
    ["doctor", "--dotenv"],
    ["sandbox", "--data"],
    ["init", "--dotenv"],
  ])("completion leaves paths to the shell: %s", (...args) => {
    expect(outcomeOf("completion", "bash", ...args, "c").written).toMatch(/^__FILE__:any:/);
  });
});
