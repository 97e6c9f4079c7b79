import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { createSandbox, type SandboxServer } from "../../src/sandbox/index.ts";
import { settlekit, type Variables } from "./command-line.ts";

export const recipient = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

/** The arguments of `payouts plan`, by bob. */
export const planOf = (orderId: string, amount = "12500") => [
  ...["plan", orderId, "--amount-in-cents", amount, "--chain-id", "84532"],
  ...["--recipient-address", recipient, "--by", "bob"],
];

/** The error that `--json` prints. */
export const errorOf = ({ stdout }: { stdout: string }) => JSON.parse(stdout).error;

export const linesOf = (text: string) => text.trimEnd().split("\n");

/** Provides a sandbox, and a fresh folder for `shop.db` in each test. */
export function payoutsCommand(seed: string) {
  const sandbox = createSandbox({ seed, merchants: [{}, {}] });
  let server: SandboxServer;
  let folder: string;

  beforeEach(async () => {
    server = await sandbox.listen({ port: 0 });
    folder = await mkdtemp(join(tmpdir(), "settlekit-cli-"));
  });
  afterEach(async () => {
    sandbox.reset();
    await server.close();
    await rm(folder, { recursive: true });
  });

  async function run(args: readonly string[], variables: Variables = {}) {
    const ofSandbox = {
      SETTLEKIT_ENVIRONMENT: "sandbox",
      SETTLEKIT_SANDBOX_URL: server.url,
      SETTLEKIT_SECRET_KEY: sandbox.secretKey,
    };
    const ended = await settlekit(["payouts", ...args], { ...ofSandbox, ...variables });
    return { ...ended, lines: linesOf(ended.stdout) };
  }

  const path = (name = "shop.db") => join(folder, name);
  return {
    sandbox,
    url: () => server.url,
    path,
    /** `settlekit payouts`, on the database that the arguments name. */
    run,
    /** The same on `shop.db`. */
    payouts: (...args: string[]) => run([...args, "--sqlite", path()]),
    /** The same with variables. */
    payoutsWith: (variables: Variables, ...args: string[]) =>
      run([...args, "--sqlite", path()], variables),
  };
}
