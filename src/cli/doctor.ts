import type { Finding } from "./findings.ts";
import { defineCommand, serviceOptions } from "./options.ts";
import { paint } from "./terminal.ts";

export const doctorCommand = defineCommand({
  name: "doctor",
  brief: "Check configuration, connection, clock and credentials.",
  description:
    "Checks what a MerchantClient without options would do here: the SETTLEKIT_* variables, whether key and environment match, whether the service can be reached, its clock, and whatever is unexpected in the answer to one read-only call. No secret is printed. The exit code is that of the worst finding.",
  examples: ["settlekit doctor --dotenv .env", "settlekit exec -- settlekit doctor --json"],
  options: serviceOptions,
  async run({ headerPrefix }, terminal) {
    const { examine, worstOf } = await import("./findings.ts");
    const marks = {
      ok: paint("green", "✓"),
      warning: paint("yellow", "!"),
      failure: paint("red", "✗"),
    };
    const findings: Finding[] = [];
    for await (const finding of examine(headerPrefix)) {
      findings.push(finding);
      const line = `${marks[finding.level]} ${finding.message}`;
      terminal.result({ type: "finding", ...finding }, line);
    }
    return worstOf(findings);
  },
});
