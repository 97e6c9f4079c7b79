import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { MerchantClient } from "../../src/index.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.ts";
import { Example } from "./example.ts";
import type { Run } from "./run.ts";
import { scratchFolder } from "./scratch-folder.ts";

const example = new Example("payouts-job");
const due = await readFile(join(example.folder, "payouts.json"), "utf8");
const once = [
  "payout_2026_07_seller_1: 12500",
  "payout_2026_07_seller_2: 8050",
  "payout_2026_07_seller_3: 100",
];

/** A sandbox, a list of payouts, and a table that all runs of the job share. */
async function openedJob() {
  const scratch = await scratchFolder();
  const sandbox = createSandbox();
  const service = await sandbox.listen({ port: 0 });
  const input = join(scratch.path, "payouts.json");
  await writeFile(input, due);
  const variables = {
    SETTLEKIT_ENVIRONMENT: "sandbox",
    SETTLEKIT_SANDBOX_URL: service.url,
    SETTLEKIT_SECRET_KEY: sandbox.secretKey,
    // Far longer than the sandbox delays any request in these tests: a busy machine adds to that.
    PAYOUTS_QUIET_SECONDS: "6",
    PAYOUTS_TIMEOUT_SECONDS: "3",
    PAYOUTS_FILE: input,
    DATABASE_FILE: join(scratch.path, "payouts.sqlite"),
  };
  return {
    sandbox,
    client: new MerchantClient({
      environment: "sandbox",
      baseUrl: service.url,
      secretKey: sandbox.secretKey,
    }),
    input,
    run: () => example.run("start", variables),
    /** The withdrawals that exist, whatever answers the job received. */
    made: () =>
      sandbox.withdrawals.all().map(({ orderId, amountInCents }) => `${orderId}: ${amountInCents}`),
    async [Symbol.asyncDispose]() {
      await service.close();
      await scratch[Symbol.asyncDispose]();
    },
  };
}

type Job = Awaited<ReturnType<typeof openedJob>>;

/** Runs the job until a condition holds, again if a run ends before. Returns the last run. */
async function runUntil(holds: () => boolean, { run }: Job): Promise<Run> {
  const held = vi.waitUntil(holds, { interval: 5 });
  for (;;) {
    const running = await run();
    await Promise.race([held, running.ended()]);
    if (holds()) return running;
  }
}

/**
 * Runs the job until every payout was sent or refused, or a person has to decide. On a busy machine, a call may take too
 * long: then that payout waits for a later run, as of a scheduler.
 */
async function finished({ run }: Job): Promise<{ code: unknown; output: string }> {
  for (;;) {
    const running = await run();
    const code = await running.ended();
    const { output } = running;
    const isWaiting = /'(planned|sending)'/.test(output) && !output.includes("needs_decision");
    if (!isWaiting) return { code, output };
  }
}

const creations = (sandbox: Sandbox) =>
  sandbox.requests().filter(({ method }) => method === "POST").length;

/** Moments at which a run is killed, and what the service is doing then. */
const moments: readonly [string, (job: Job) => Promise<Run>][] = [
  [
    "before anything was sent",
    async ({ run }) => {
      const running = await run();
      await running.printed(/payouts planned/);
      return running;
    },
  ],
  [
    "while the service has its first request, but has not acted on it",
    async (job) => {
      // Longer than the next run takes to start: without waiting, it would look too early.
      job.sandbox.faults.latency("POST /withdrawals", 1_200, { when: "before" });
      return runUntil(() => creations(job.sandbox) > 0, job);
    },
  ],
  [
    "while the service's answer to its second payout is on its way",
    async (job) => {
      job.sandbox.faults.latency("POST /withdrawals", 0, { when: "before" });
      job.sandbox.faults.latency("POST /withdrawals", 300, { when: "after" });
      return runUntil(() => job.made().length >= 2, job);
    },
  ],
  ["right after its second payout was made", (job) => runUntil(() => job.made().length >= 2, job)],
];

describe.concurrent(example.name, () => {
  it.each(moments)("pays each payout once, even if it is killed %s", async (_moment, started) => {
    await using job = await openedJob();
    const first = await started(job);
    await first.stop("SIGKILL");
    expect(await finished(job)).toMatchObject({ code: 0 });
    expect(job.made().sort()).toEqual(once);
  });

  it("pays once when the service has paid and its answer is lost", async () => {
    await using job = await openedJob();
    job.sandbox.faults.reset("POST /withdrawals", { when: "after" });
    expect(await finished(job)).toMatchObject({ code: 0 });
    expect(job.made().sort()).toEqual(once);
  });

  it("pays each payout once, even if two jobs run at the same time", async () => {
    await using job = await openedJob();
    job.sandbox.faults.latency("POST /withdrawals", 300, { when: "before" });
    const runs = await Promise.all([job.run(), job.run()]);
    for (const run of runs) await run.ended();
    expect(await finished(job)).toMatchObject({ code: 0 });
    expect(job.made().sort()).toEqual(once);
  });

  it("refuses an invalid payout, and pays the others", async () => {
    await using job = await openedJob();
    const [first, ...others] = JSON.parse(due);
    await writeFile(job.input, JSON.stringify([{ ...first, chainId: 99 }, ...others]));
    const { code, output } = await finished(job);
    expect(code).toBe(1);
    expect(output).toMatch(/seller_1.*refused/);
    expect(job.made().sort()).toEqual(once.slice(1));
  });

  it("leaves a payout with two withdrawals to a person", async () => {
    await using job = await openedJob();
    const [{ orderId, chainId, recipientAddress }] = JSON.parse(due);
    const input = { orderId, amountInCents: 12_500, chainId, recipientAddress };
    await job.client.withdrawals.create(input);
    await job.client.withdrawals.create(input);
    const { code, output } = await finished(job);
    expect(code).toBe(1);
    expect(output).toMatch(/seller_1.*needs_decision/);
    expect(job.made().filter((it) => it === once[0])).toHaveLength(2);
  });

  it("leaves a payout whose withdrawal has another amount to a person", async () => {
    await using job = await openedJob();
    const [{ orderId, chainId, recipientAddress }] = JSON.parse(due);
    await job.client.withdrawals.create({ orderId, amountInCents: 500, chainId, recipientAddress });
    const { code, output } = await finished(job);
    expect(code).toBe(1);
    expect(output).toMatch(/seller_1.*needs_decision/);
    expect(job.made()).toContain("payout_2026_07_seller_1: 500");
    expect(job.made()).not.toContain(once[0]);
  });

  it("reports how the withdrawals ended", async () => {
    await using job = await openedJob();
    expect(await finished(job)).toMatchObject({ code: 0 });
    const idOf = (seller: string) =>
      job.sandbox.withdrawals.all().find(({ orderId }) => orderId?.endsWith(seller))?.id ?? "";
    await job.sandbox.withdrawals.simulate(idOf("seller_1"), "complete");
    await job.sandbox.withdrawals.simulate(idOf("seller_2"), "fail");
    // The first look at a withdrawal is some seconds after it was sent.
    await vi.waitFor(async () => {
      const run = await job.run();
      await run.ended();
      expect(run.output).toMatch(/seller_1.*completed.*seller_2.*failed/s);
    });
    expect(job.made().sort()).toEqual(once);
    // The exit code is about the list, so it is 0 once the failed payout is no longer due.
    await writeFile(job.input, due.replace("seller_2", "seller_2_again"));
    expect(await finished(job)).toMatchObject({ code: 0 });
  });
});
