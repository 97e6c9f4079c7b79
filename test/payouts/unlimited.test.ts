import { describe, expect, it } from "vitest";
import { order, World } from "./world.ts";

describe("a ledger without limits", () => {
  const warnings = async (options: Parameters<World["open"]>[0]) => {
    const world = World.inMemory();
    const warned: string[] = [];
    const logger = { warn: (message: string) => void warned.push(message), error() {} };
    const payouts = world.open({ logger, ...options });
    await payouts.migrate();
    await payouts.plan(order);
    expect(warned).toEqual([]);
    await payouts.runDue();
    await payouts.runDue();
    await payouts.start().stop();
    expect(world.made).toHaveLength(1);
    return warned;
  };

  it("warns once before it sends", async () => {
    expect(await warnings({})).toEqual([expect.stringMatching(/^No limits: .*limits: \{\}/)]);
  });

  it("sends although the logger throws", async () => {
    const logger = {
      warn() {
        throw new Error("full");
      },
      error() {},
    };
    await warnings({ logger });
  });

  it("does not warn if that is intended, or if there are some", async () => {
    expect(await warnings({ limits: {} })).toEqual([]);
    expect(await warnings({ limits: { perPayout: 12_500 } })).toEqual([]);
  });
});
