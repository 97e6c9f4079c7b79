import { readFile } from "node:fs/promises";
import { createSandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { errorEvidence, operationEvidence } from "../../../src/sandbox/service/answers.ts";
import { operationTable } from "../../../src/wire/operations.ts";
import { ask } from "../customer.ts";
import { create, paymentsPath, send, withdrawalsPath } from "../merchant.ts";

const header = (response: Response) => [
  response.status,
  response.headers.get("x-sandbox-evidence"),
];

describe("X-Sandbox-Evidence", () => {
  it("gives the evidence for every answer", async () => {
    const sandbox = createSandbox({ depositsEnabled: false });
    const opened = await create(sandbox);
    const deposit = { type: "deposit", currency: "USD", orderId: "1" };
    const { merchantId, accessToken } = sandbox;
    const answers = [
      await send(sandbox, paymentsPath),
      await send(sandbox, paymentsPath, { headers: { "X-Service-Secret-Key": "other" } }),
      await send(sandbox, paymentsPath, { body: deposit }),
      await send(sandbox, paymentsPath, { body: "{" }),
      await send(sandbox, "/v1/nowhere"),
      await ask(sandbox, opened, "/status"),
      await ask(sandbox, opened, "/status", { method: "OPTIONS" }),
      await send(sandbox, `/v1/merchants/${merchantId}/withdrawals`, {
        headers: { Authorization: `Bearer ${accessToken}` },
      }),
    ];
    expect(answers.map(header)).toEqual([
      [200, "documented"],
      [401, "documented"],
      [403, "assumed"],
      [400, "documented"],
      [404, "assumed"],
      [200, "published"],
      [204, "assumed"],
      [200, "published"],
    ]);
  });

  it("is also set on injected answers, as assumed when the test made them up", async () => {
    const sandbox = createSandbox();
    const { faults } = sandbox;
    faults.next("*", { status: 500, when: "before" });
    faults.next("*", { status: 503, when: "after" });
    faults.next("*", { status: 200, when: "before", body: "<html>" });
    faults.next("*", { status: 204, when: "before" });
    const answers: unknown[] = [];
    for (let count = 0; count < 4; count++)
      answers.push(header(await send(sandbox, withdrawalsPath)));
    faults.rateLimit({ requestsPerSecond: 0 });
    answers.push(header(await send(sandbox, withdrawalsPath)));
    expect(answers).toEqual([
      [500, "documented"],
      [503, "assumed"],
      [200, "assumed"],
      [204, "assumed"],
      [429, "documented"],
    ]);
  });

  it("agrees with the ledger on every operation", async () => {
    const ledger = await readFile(new URL("../../../docs/wire.md", import.meta.url), "utf8");
    for (const { name } of Object.values(operationTable)) {
      const row = ledger.split("\n").find((line) => line.startsWith(`| \`${name}\` |`));
      expect(row?.split(" | ")[2]?.split(/\W/)[0]).toBe(operationEvidence(name));
    }
  });

  it("agrees with the guide on every error", async () => {
    const guide = await readFile(
      new URL("../../../docs/sandbox-reference.md", import.meta.url),
      "utf8",
    );
    const rows = [...guide.matchAll(/^\| (\d{3}) +\| `(\w+)` +\| (\w+) +\|/gm)];
    expect(rows.length).toBeGreaterThan(20);
    for (const [, status, code = "", evidence] of rows) {
      expect(`${status} ${code} ${evidence}`).toBe(
        `${status} ${code} ${errorEvidence(Number(status), code)}`,
      );
    }
  });
});
