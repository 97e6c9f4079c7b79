import { defineCommand } from "../arguments/command.ts";
import { dotenvOption, loadDotenv } from "../arguments/dotenv.ts";
import { examine } from "../doctor/examine.ts";
import { type Finding, worstOf } from "../doctor/finding.ts";
import type { Terminal } from "../terminal.ts";

export const doctorCommand = defineCommand({
  name: "doctor",
  description: [
    "Checks what a MerchantClient without options would do here: the SETTLEKIT_* variables, whether",
    "key and environment agree, whether the service is reached, its clock, and one read-only call with",
    "what is unexpected in its answer. No secret is printed. The exit code is that of the worst finding.",
  ],
  options: {
    ...dotenvOption,
    "header-prefix": {
      value: "<prefix>",
      description: "What the service's header names begin with. Default X-Service.",
    },
    json: { description: "Print each finding as a line of JSON on stdout, and no prose." },
  },
  examples: ["settlekit doctor --dotenv .env"],
  async run({ values, terminal }) {
    loadDotenv(values.dotenv);
    const findings: Finding[] = [];
    for await (const finding of examine({ headerPrefix: values["header-prefix"] })) {
      findings.push(finding);
      if (values.json) terminal.json({ type: "finding", ...finding });
      else tell(finding, terminal);
    }
    return worstOf(findings);
  },
});

function tell({ level, message }: Finding, { say, paint }: Terminal): void {
  const marks = {
    ok: paint("green", "✓"),
    warning: paint("yellow", "!"),
    failure: paint("red", "✗"),
  };
  say(`${marks[level]} ${message}`);
}
