import { afterAll, vi } from "vitest";

// Every property starts from the run's seed: see vitest.config.ts.
vi.mock("fast-check", async (importOriginal) => {
  const fastCheck = await importOriginal<typeof import("fast-check")>();
  fastCheck.configureGlobal({ seed: Number(process.env.SETTLEKIT_TEST_SEED) });
  return fastCheck;
});

// Vitest gives up after a second, and a busy machine may need more.
const { waitFor, waitUntil } = vi;
const patient = (options?: number | { timeout?: number }) => ({
  timeout: 120_000,
  ...(typeof options === "number" ? { timeout: options } : options),
});
vi.waitFor = (callback, options) => waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));

// The next test file runs in the same process.
afterAll(() => {
  // Before the timers, because a spy may be on a fake one.
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});
