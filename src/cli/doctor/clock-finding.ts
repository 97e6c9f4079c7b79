import type { Environment } from "../../wire/credential.ts";
import { exitCodes } from "../exit-code.ts";
import { type Finding, failure, ok, warning } from "./finding.ts";

interface ClockFacts {
  /** The answer's Date header. */
  readonly dateText: string | null;
  /** On this machine's clock, as `receivedAtMs`. */
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
  readonly environment: Environment;
}

/** Webhooks that are further from now are refused, unless toleranceSeconds says otherwise. */
const toleranceSeconds = 300;
const noticeableSeconds = 30;

/** How far this machine's clock is from the service's. */
export function clockFinding(facts: ClockFacts): Finding {
  const serviceMs = Date.parse(facts.dateText ?? "");
  if (Number.isNaN(serviceMs)) {
    return warning(
      "clock",
      "The answer has no Date header, so the clocks cannot be compared. Check what lies between here " +
        "and the service.",
    );
  }
  // The header leaves out the fraction of its second; on average it is half of one.
  const middleMs = (facts.sentAtMs + facts.receivedAtMs) / 2;
  const seconds = Math.round((middleMs - (serviceMs + 500)) / 1000);
  const distance = Math.abs(seconds);
  if (distance < noticeableSeconds) {
    return ok("clock", `This machine's clock agrees with the service's, to ${distance} s.`);
  }
  if (facts.environment === "sandbox") {
    return ok(
      "clock",
      `The sandbox's clock was moved or frozen: it is ${distance} s from this one.`,
    );
  }
  const fact = `This machine's clock is ${distance} s ${seconds > 0 ? "ahead of" : "behind"} the service's.`;
  const cure = "Set it by a time server (NTP).";
  return distance < toleranceSeconds
    ? warning("clock", `${fact} ${cure}`)
    : failure("clock", `${fact} Webhooks are refused for their age. ${cure}`, exitCodes.usage);
}
