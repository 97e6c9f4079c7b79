import { exitCodes } from "../exit-code.ts";

/** One thing that `settlekit doctor` looked at. */
export interface Finding {
  readonly check:
    | "environment"
    | "baseUrl"
    | "secretKey"
    | "webhookSecret"
    | "reach"
    | "clock"
    | "call"
    | "drift";
  readonly level: "ok" | "warning" | "failure";
  /** The fact, and where something is wrong the cure. */
  readonly message: string;
  /** What a failure ends the process with; 0 for what does not keep payments from working. */
  readonly exitCode: number;
}

export function ok(check: Finding["check"], message: string): Finding {
  return { check, level: "ok", message, exitCode: exitCodes.fine };
}

export function warning(check: Finding["check"], message: string): Finding {
  return { check, level: "warning", message, exitCode: exitCodes.fine };
}

export function failure(check: Finding["check"], message: string, exitCode: number): Finding {
  return { check, level: "failure", message, exitCode };
}

/**
 * The exit code of the worst finding. The codes are in the order in which things depend on each other:
 * without a configuration there is no authentication, without a network no answer.
 */
export function worstOf(findings: readonly Finding[]): number {
  const codes = findings.map(({ exitCode }) => exitCode).filter((code) => code !== exitCodes.fine);
  return codes.length === 0 ? exitCodes.fine : Math.min(...codes);
}
