import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fastFolder } from "../fast-folder.ts";
import { CommandLine, settlekit } from "./command-line.ts";
import { sandbox } from "./running-sandbox.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(fastFolder, "settlekit-cli-data-"));
});
afterAll(() => rm(folder, { recursive: true }));

const order = (orderId: string) => ({ amount: 2500, orderId });

describe("settlekit sandbox --data", () => {
  test("keeps everything that was answered, whenever the process is killed", async () => {
    const data = join(folder, "killed.sqlite");
    const answered = new Map<string, string>();
    for (const afterAnswers of [1, 9, 40]) {
      await using running = await sandbox("--data", data);
      let count = 0;
      const killed = Promise.withResolvers<void>();
      // Eight buyers at once, until the sandbox is gone.
      const buyers = Array.from({ length: 8 }, async (_, buyer) => {
        for (let index = 0; ; index++) {
          const orderId = `${afterAnswers}-${buyer}-${index}`;
          const created = await running.client.payments.create(order(orderId)).catch(() => null);
          if (created === null) return;
          expect(answered.has(created.paymentId)).toBe(false);
          answered.set(created.paymentId, orderId);
          if (++count === afterAnswers) killed.resolve();
        }
      });
      await killed.promise;
      running.process.kill("SIGKILL");
      await Promise.all(buyers);
      await running.ended;
    }
    await using running = await sandbox("--data", data);
    const { data: payments } = await running.client.payments.list({ limit: 1000 });
    const kept = new Map(payments.map(({ id, orderId }) => [id, orderId]));
    for (const [id, orderId] of answered) expect(kept.get(id)).toBe(orderId);
    expect(new Set(payments.map(({ depositAddress }) => depositAddress?.address)).size).toBe(
      payments.length,
    );
    expect((await running.stop()).stderr).toBe("");
  });

  test("prints the webhook URL and the frozen clock of an existing file", async () => {
    const data = join(folder, "kept.sqlite");
    const introduction = async (...args: string[]) => {
      await using running = new CommandLine(["sandbox", "--port", "0", "--data", data, ...args]);
      await running.stderr.next((line) => line.includes("Ctrl-C"));
      return running.stderr.text;
    };
    const webhookUrl = "http://127.0.0.1:3000/webhooks";
    const created = await introduction("--webhook-url", webhookUrl, "--now", "2026-01-01");
    expect(created).not.toContain("Warning");
    const facts = [
      `  webhooks to    ${webhookUrl}\n`,
      "  clock          frozen at 2026-01-01T00:00:00.000Z\n",
    ];
    for (const fact of facts) {
      expect(created).toContain(fact);
      expect(await introduction()).toContain(fact);
    }
    const ignored = await introduction("--seed", "a", "--now", "2027-01-01");
    expect(ignored).toContain(facts[1]);
    expect(ignored).toContain("Warning: --seed and --now have no effect on");
  });

  test("refuses a file that another sandbox uses, or that is something else", async () => {
    const data = join(folder, "shared.sqlite");
    await using _first = await sandbox("--data", data);
    const second = await settlekit(["sandbox", "--port", "0", "--json", "--data", data]);
    expect(second.code).toBe(2);
    expect(second.stderr).toContain(`\`--data\`: Another sandbox is using ${data}.`);
    const other = await settlekit(["sandbox", "--port", "0", "--data", import.meta.filename]);
    expect(other).toMatchObject({ code: 2, stdout: "" });
    expect(other.stderr).toContain("is not a sandbox's data file");
  });
});

describe("settlekit sandbox", () => {
  test("takes the name of its data file as it is, even one that SQLite would take for a URL", async () => {
    const home = await mkdtemp(join(folder, "home-"));
    const args = ["sandbox", "--port", "0", "--json", "--data", "file:shop.sqlite"];
    await using running = new CommandLine(args, {}, home);
    await running.json();
    await running.stop();
    expect(await readdir(home)).toEqual(["file:shop.sqlite"]);
    expect((await stat(join(home, "file:shop.sqlite"))).size).toBeGreaterThan(0);
  });

  test("prints the keys of several merchants, who do not see each other's payments", async () => {
    await using running = await sandbox("--merchants", "2");
    const [first, second] = running.keys.merchants ?? [];
    expect(running.keys.merchants).toHaveLength(2);
    expect(first).toMatchObject({ secretKey: running.keys.secretKey });
    await running.client.payments.create(order("1"));
    const other = running.clientOf(second ?? { secretKey: "none" });
    expect((await other.payments.list()).data).toEqual([]);
  });

  test("refuses an invalid number of merchants", async () => {
    for (const number of ["0", "1.5", "many", "101"]) {
      const { code, stderr } = await settlekit(["sandbox", "--merchants", number]);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringContaining("`--merchants`: Expected a v"),
      });
    }
  });
});
