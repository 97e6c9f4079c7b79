import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createSandbox } from "settlekit/sandbox";
import { expect, it } from "vitest";
import { create, list } from "./merchant.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

async function heapGrowth(work: () => Promise<unknown>): Promise<number> {
  const used = async () => {
    // The platform frees the streams of responses one step at a time.
    for (let turn = 0; turn < 5; turn++) {
      await new Promise(setImmediate);
      collect();
    }
    return getHeapStatistics().used_heap_size;
  };
  const before = await used();
  await work();
  return (await used()) - before;
}

// A part of a string holds on to the whole string.
it("the record of requests keeps only the recorded part of large responses in memory", async () => {
  const sandbox = createSandbox();
  for (let count = 0; count < 50; count++) await create(sandbox);
  await list(sandbox);
  const growth = await heapGrowth(async () => {
    // 200 kB each.
    for (let count = 0; count < 200; count++) await list(sandbox);
  });
  expect(sandbox.requests().at(-1)?.answer?.bodyOmitted).toBeGreaterThan(150_000);
  expect(growth).toBeLessThan(15_000_000);
});

it("the record of deliveries keeps only the recorded part of large responses in memory", async () => {
  const sandbox = createSandbox({ deliver: async () => new Response("x".repeat(200_000)) });
  await create(sandbox);
  await sandbox.webhooks.idle();
  const growth = await heapGrowth(async () => {
    const [{ id = "" } = {}] = sandbox.webhooks.deliveries();
    for (let count = 0; count < 200; count++) await sandbox.webhooks.replay(id);
  });
  expect(growth).toBeLessThan(15_000_000);
});
