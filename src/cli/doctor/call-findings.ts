import { MerchantClient } from "../../client.ts";
import { SettlekitError } from "../../errors.ts";
import type { Environment } from "../../wire/credential.ts";
import { exitCodeOf } from "../exit-code.ts";
import { durationText } from "../time-text.ts";
import { clockFinding } from "./clock-finding.ts";
import { type Finding, failure, ok, warning } from "./finding.ts";

export interface CallOptions {
  readonly environment: Environment;
  readonly headerPrefix: string | undefined;
}

const timeoutMs = 10_000;

/** What one read-only call shows of the way to the service, its clock, the key and the answer. */
export async function callFindings({ environment, headerPrefix }: CallOptions): Promise<Finding[]> {
  const findings: Finding[] = [];
  const drift = new Set<string>();
  const client = new MerchantClient({
    timeoutMs,
    maxRetries: 0,
    wire: { headerPrefix },
    onEvent: (event) => {
      if (event.type === "drift") for (const path of event.paths) drift.add(path);
    },
    async fetch(url, init) {
      const sentAtMs = Date.now();
      const response = await fetch(url, init);
      const receivedAtMs = Date.now();
      const duration = durationText(receivedAtMs - sentAtMs);
      findings.push(ok("reach", `${new URL(url).origin} answered in ${duration}.`));
      const dateText = response.headers.get("date");
      findings.push(clockFinding({ dateText, sentAtMs, receivedAtMs, environment }));
      return response;
    },
  });
  try {
    const { status, data } = await client.payments.list({ limit: 1 }).withResponse();
    const total = data.pagination?.total;
    const count = typeof total === "number" ? ` Payments there: ${total}.` : "";
    findings.push(
      ok("call", `payments.list accepted the secret key and answered ${status}.${count}`),
    );
  } catch (error) {
    if (!SettlekitError.is(error)) throw error;
    const wasReached = findings.length > 0;
    const hint =
      !wasReached && environment === "sandbox" ? " Start it with: settlekit sandbox" : "";
    findings.push(failure(wasReached ? "call" : "reach", error.message + hint, exitCodeOf(error)));
  }
  if (drift.size > 0) findings.push(driftFinding([...drift]));
  return findings;
}

function driftFinding(paths: readonly string[]): Finding {
  return warning(
    "drift",
    `The answer differs from what settlekit expects at ${paths.join(", ")}. It is used as it came: check ` +
      "that your code does not rely on these, and update settlekit.",
  );
}
