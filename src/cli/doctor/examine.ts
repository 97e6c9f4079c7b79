import { configure } from "../../configuration.ts";
import { type CallOptions, callFindings } from "./call-findings.ts";
import { configurationFindings } from "./configuration-findings.ts";
import type { Finding } from "./finding.ts";

/** Gives each finding when it is known. Nothing is sent while the configuration cannot work. */
export async function* examine({
  headerPrefix,
}: Pick<CallOptions, "headerPrefix">): AsyncGenerator<Finding, void> {
  const configuration = configurationFindings(process.env);
  yield* configuration;
  const isUsable = configuration.every(
    ({ check, level }) => level !== "failure" || check === "webhookSecret",
  );
  if (!isUsable) return;
  const { environment } = configure();
  yield* await callFindings({ environment, headerPrefix });
}
