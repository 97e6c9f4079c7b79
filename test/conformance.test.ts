import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { conformanceFiles } from "../scripts/conformance.ts";
import { decide, type Failure } from "../src/http/policy.ts";
import {
  formatUnits,
  nativePaymentUri,
  parseUnits,
  toChecksumAddress,
  tokenPaymentUri,
} from "../src/index.ts";
import { signWebhook, Webhooks } from "../src/webhooks/index.ts";
import { parseTimestamp } from "../src/webhooks/timestamp.ts";

const folder = resolve(import.meta.dirname, "../conformance");

interface Vector {
  readonly [name: string]: unknown;
}

function vectorsOf(file: string): [name: string, vector: Vector][] {
  const { vectors }: { vectors: Vector[] } = JSON.parse(conformanceFiles[file] ?? "");
  return vectors.map((vector) => [JSON.stringify(vector), vector]);
}

/** The result of a function, or null if it throws. */
function orNull<Result>(run: () => Result): Result | null {
  try {
    return run();
  } catch {
    return null;
  }
}

describe("the vectors for other languages", () => {
  test("are those that npm run conformance writes", async () => {
    const files = (await readdir(folder)).filter((file) => file.endsWith(".json"));
    expect(files.sort()).toEqual(Object.keys(conformanceFiles).sort());
    for (const file of files) {
      expect(await readFile(join(folder, file), "utf8")).toBe(conformanceFiles[file]);
    }
  });

  test.each(vectorsOf("signatures.json"))("signature %s", async (_, vector) => {
    const { secret, timestamp, body, signature, valid } = vector as Record<string, string>;
    if (secret === undefined || body === undefined || signature === undefined) throw new Error();
    const headers = { "x-service-signature": signature, "x-service-timestamp": timestamp };
    const webhooks = new Webhooks({ secret, toleranceSeconds: Number.POSITIVE_INFINITY });
    const result = await webhooks.safeVerify({ body, headers });
    // A body that is not an event is refused only after its signature has matched.
    const reason = result.ok ? "invalid_event" : result.reason;
    const isAccepted = reason === "invalid_event" || reason === "invalid_json";
    expect(isAccepted).toBe(valid);
    if (valid && timestamp !== undefined && /^\d{1,11}$/.test(timestamp)) {
      const made = signWebhook({ body, secret, timestamp: Number(timestamp) });
      expect(made.headers).toMatchObject({ "X-Service-Signature": signature.toLowerCase() });
    }
  });

  test.each(vectorsOf("timestamps.json"))("timestamp %s", (_, { text, milliseconds }) => {
    expect(parseTimestamp(String(text)) ?? null).toBe(milliseconds);
  });

  test.each(vectorsOf("units.json"))("units %s", (_, vector) => {
    const { amount, decimals, units, canonical } = vector;
    const read = orNull(() => String(parseUnits(String(amount), Number(decimals))));
    expect(read).toBe(units);
    if (read !== null) expect(formatUnits(read, Number(decimals))).toBe(canonical);
  });

  test.each(vectorsOf("addresses.json"))("address %s", (_, { address, checksum }) => {
    expect(orNull(() => toChecksumAddress(String(address)))).toBe(checksum);
  });

  test.each(vectorsOf("payment-uris.json"))("payment URI %s", (_, { uri, ...payment }) => {
    const write = "tokenAddress" in payment ? tokenPaymentUri : nativePaymentUri;
    expect(write(payment as never)).toBe(uri);
  });

  test.each(vectorsOf("retries.json"))("retry %s", (_, vector) => {
    const { failure, attempt, replay, fromService, unknownBefore, outcome, repeat } = vector;
    const decision = decide({
      failure: failureOf(failure, fromService === true),
      attempt: Number(attempt),
      replay: replay as "safe" | "keyed" | "unsafe",
      unknownBefore: unknownBefore === true,
      retries: 0,
      maxRetries: 3,
      remainingMs: 90_000,
      budgetLeft: true,
      mayRenew: false,
      random: 0.5,
    });
    expect(decision).toMatchObject({ outcome, action: repeat ? "retry" : "stop" });
  });
});

function failureOf(failure: unknown, isFromService: boolean): Failure {
  const requestId = undefined;
  const detail = { code: "", detail: "" };
  switch (failure) {
    case "no connection":
      return { kind: "unreachable", ...detail };
    case "TLS failure":
      return { kind: "tls", ...detail };
    case "broken connection":
      return { kind: "connection", ...detail };
    case "time-out":
      return { kind: "timeout", limit: "timeoutMs", ms: 30_000 };
    case "unreadable success":
      return { kind: "unreadable", status: 200, text: "", requestId };
    default: {
      const facts = { body: "" };
      const answer = { status: Number(failure), facts, isFromService, retryAfterMs: undefined };
      return { kind: "status", ...answer, requestId };
    }
  }
}

const python = await promisify(execFile)("python3", ["--version"]).catch(() => undefined);
if (python === undefined) process.stderr.write("No python3 here: conformance/check.py skipped.\n");

test.runIf(python)("Python agrees, with its standard library alone", async () => {
  const args = ["-I", join(folder, "check.py")];
  const { stdout } = await promisify(execFile)("python3", args);
  expect(stdout).toMatch(/^signatures\.json: (\d+) of \1 agree$/m);
  expect(stdout).toMatch(/^timestamps\.json: (\d+) of \1 agree$/m);
  expect(stdout).toMatch(/^units\.json: (\d+) of \1 agree$/m);
});
