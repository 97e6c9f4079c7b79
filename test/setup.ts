import { vi } from "vitest";

// Every property draws from the seed of the run, which vitest.config.ts chooses.
vi.mock("fast-check", async (importOriginal) => {
  const fastCheck = await importOriginal<typeof import("fast-check")>();
  fastCheck.configureGlobal({ seed: Number(process.env.SETTLEKIT_TEST_SEED) });
  return fastCheck;
});

// Vitest gives up after a second, which a busy machine can take for anything.
const { waitFor } = vi;
vi.waitFor = (callback, options) => {
  const given = typeof options === "number" ? { timeout: options } : options;
  return waitFor(callback, { timeout: 60_000, ...given });
};
