import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commands, parse } from "../../src/cli/command-line.ts";
import { createInbox } from "../../src/inbox/index.ts";
import { MerchantClient } from "../../src/index.ts";
import { createPayouts } from "../../src/payouts/index.ts";
import { createSandbox, type SandboxServer } from "../../src/sandbox/index.ts";
import { sqlite } from "../../src/stores/sqlite.ts";
import { scriptedServer } from "../scripted-server.ts";
import { CommandLine, main } from "./command-line.ts";
import { hasPseudoTerminals, onTerminal } from "./pseudo-terminal.ts";

const shop = await scriptedServer({});
const sandbox = createSandbox({ seed: "every command", webhookUrl: shop.url });
const { secretKey } = sandbox;
const recipientAddress = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
let server: SandboxServer;
let client: MerchantClient;
let folder: string;

beforeAll(async () => {
  server = await sandbox.listen({ port: 0 });
  client = new MerchantClient({ environment: "sandbox", baseUrl: server.url, secretKey });
  folder = await mkdtemp(join(tmpdir(), "settlekit-every-"));
  await writeFile(join(folder, ".env"), "");
  await createInbox({ client, store: sqlite(join(folder, "shop.db")) }).migrate();
});
afterAll(async () => {
  await server.close();
  await shop[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const variables = () => ({
  SETTLEKIT_ENVIRONMENT: "sandbox",
  SETTLEKIT_SANDBOX_URL: server.url,
  SETTLEKIT_SECRET_KEY: secretKey,
  SETTLEKIT_WEBHOOK_SECRET: sandbox.webhookSecret,
  SETTLEKIT_PAYMENT_SECRET: paymentSecret,
});

/** The secret of the payment that `valuesFor` created last. */
let paymentSecret = "";

const createPayment = (orderId = "order_1") => client.payments.create({ amount: 2500, orderId });
const createWithdrawal = (orderId: string) =>
  client.withdrawals.create({ amountInCents: 900, chainId: 84_532, recipientAddress, orderId });

/** Values for the placeholders of an example: ids of objects in a state in which it can succeed. */
async function valuesFor([, verb]: readonly string[]): Promise<Record<string, string>> {
  const { paymentId, secret } = await createPayment();
  paymentSecret = secret;
  if (verb === "wait") await sandbox.payments.simulate(paymentId, "success");
  const withdrawal = await createWithdrawal("payout_0");
  if (verb === "wait") await sandbox.withdrawals.simulate(withdrawal.id, "complete");
  const [chain] = await client.chains.list().toArray({ limit: 1 });
  const [token] = await client.tokens.list().toArray({ limit: 1 });
  const [delivery] = sandbox.webhooks.deliveries();
  return {
    PAYMENT_ID: paymentId,
    WITHDRAWAL_ID: withdrawal.id,
    DELIVERY_ID: delivery?.id ?? "",
    CHAIN_ID: String(chain?.chainId),
    TOKEN_ID: token?.id ?? "",
    // Nothing may be listening there, and each test needs a port of its own.
    "http://127.0.0.1:3000/webhooks": `${shop.url}/webhooks`,
    npm: process.execPath,
    test: "--version",
    "--test": "--version",
  };
}

/** The words of each example that `--help` shows. */
function examplesOf(words: readonly string[]): string[][] {
  let help = "";
  const write = (text: string) => {
    help += text;
  };
  parse([...words, "--help"], { write });
  const [, examples = ""] = help.split("\nExamples:\n");
  return examples
    .trimEnd()
    .split("\n")
    .map((line) =>
      Array.from(
        line.matchAll(/"([^"]*)"|(\S+)/g),
        ([, quoted, plain = ""]) => quoted ?? plain,
      ).slice(1),
    );
}

/** Servers run until they are stopped; these have tests of their own. */
const servers: ReadonlySet<string> = new Set(["sandbox", "listen", "mcp"]);
/** Whether the command asks for a confirmation, without which it sends nothing. */
const asks = (args: readonly string[]) => args.includes("create-once") && !args.includes("--yes");
/** Nothing has failed or is in doubt here; test/cli/inbox.test.ts and payouts.test.ts cover those commands. */
const hasCause = ([group, verb, id]: readonly string[]) =>
  id === "all" || !["inbox retry", "payouts resolve"].includes(`${group} ${verb}`);

const finite = commands.map(({ words }) => words).filter(([name = ""]) => !servers.has(name));

/** A folder with a ledger in which the examples' payouts are planned. */
async function ledgerFor([group, verb]: readonly string[]): Promise<string> {
  if (group !== "payouts") return folder;
  const own = await mkdtemp(join(folder, "payouts-"));
  const store = sqlite(join(own, "shop.db"));
  const payouts = createPayouts({ client, store });
  await payouts.migrate();
  for (const orderId of verb === "plan" ? [] : ["payout_1", "payout_2"]) {
    const payout = { orderId, amountInCents: 12_500, chainId: 84_532, recipientAddress };
    await payouts.plan(payout, { by: "bob" });
  }
  await store.close();
  return own;
}

async function argsOf(words: readonly string[], example: readonly string[]): Promise<string[]> {
  const values = await valuesFor(words);
  const needsDatabase = words[0] === "inbox" && words[1] !== "sql" && !example.includes("--sqlite");
  return [...example, ...(needsDatabase ? ["--sqlite", "shop.db"] : [])].flatMap((word, index) => {
    if (word === "settlekit") return [process.execPath, main];
    return index < words.length ? word : (values[word] ?? word);
  });
}

describe.each(finite.map((words) => [words.join(" "), words] as const))(
  "settlekit %s",
  (_, named) => {
    const examples = examplesOf(named);

    test("has at least two examples, which work over pipes", async () => {
      expect(examples.length).toBeGreaterThanOrEqual(2);
      for (const example of examples) {
        const args = await argsOf(named, example);
        await using running = new CommandLine(args, variables(), await ledgerFor(named));
        const { code, stdout, stderr } = await running.ended;
        expect({ args, code, stderr }).toMatchObject({
          code: asks(args) || !hasCause(args) ? 2 : 0,
        });
        // Colours and progress bars are for terminals.
        expect(stdout + stderr).not.toContain("\u001b");
        if (args.includes("--json")) {
          for (const line of stdout.trimEnd().split("\n").filter(Boolean)) JSON.parse(line);
        }
      }
    });

    test.runIf(hasPseudoTerminals)("works on a terminal", async () => {
      const [example = []] = examples;
      const args = await argsOf(named, example);
      const { code, screen } = await onTerminal(args, {
        variables: variables(),
        cwd: await ledgerFor(named),
        answers: { "Type 125.00 to send it: ": "125.00\r" },
      });
      expect({ args, code, screen }).toMatchObject({ code: hasCause(args) ? 0 : 2 });
      expect(screen).not.toContain("[object");
    });
  },
);
