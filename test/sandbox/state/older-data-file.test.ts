import { DatabaseSync } from "node:sqlite";
import { createSandbox, type Sandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { create } from "../merchant.ts";
import { dataFolder } from "./data-files.ts";

const { newFile } = dataFolder();

async function timelineOf({ fetch }: Sandbox): Promise<{ data: unknown[] }> {
  return (await fetch("http://sandbox/_sandbox/timeline")).json();
}

describe("a data file", () => {
  it("of 0.1.0 has events of types that no longer exist, which the timeline leaves out", async () => {
    const data = newFile();
    const sandbox = createSandbox({ data });
    await create(sandbox);
    const { data: kept } = await timelineOf(sandbox);
    sandbox.close();
    const database = new DatabaseSync(data);
    const change = JSON.stringify({ type: "change", at: "2026-01-01T00:00:00.000Z", sequence: 9 });
    const insert = "INSERT INTO entries (tab, key, value) VALUES ('timeline', '9', ?)";
    database.prepare(insert).run(change);
    database.close();
    using again = createSandbox({ data });
    expect((await timelineOf(again)).data).toEqual(kept);
  });

  it("of 0.1.0 nests the fields of a scenario's steps, which are then taken as they were", async () => {
    const data = newFile();
    const sandbox = createSandbox({ data });
    const { paymentId } = await create(sandbox);
    await sandbox.payments.simulate(paymentId, "success", { steps: "by-hand" });
    const upcoming = sandbox.payments.upcoming(paymentId);
    sandbox.close();
    const database = new DatabaseSync(data);
    const steps = "SELECT value FROM entries WHERE tab = 'payment steps'";
    const kept: object[] = JSON.parse(String(database.prepare(steps).get()?.value));
    const nested = JSON.stringify(kept.map((step) => ({ step, dueMs: null })));
    database.prepare("UPDATE entries SET value = ? WHERE tab = 'payment steps'").run(nested);
    database.close();
    using again = createSandbox({ data });
    expect(again.payments.upcoming(paymentId)).toEqual(upcoming);
    for (const { status } of upcoming) {
      expect(await again.payments.step(paymentId)).toMatchObject({ status });
    }
  });
});
