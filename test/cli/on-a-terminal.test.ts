import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { MerchantClient } from "../../src/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { hasPseudoTerminals, onTerminal } from "./pseudo-terminal.ts";

const sandbox = createSandbox({ seed: "on a terminal" });
const server = await sandbox.listen({ port: 0 });
const { secretKey } = sandbox;
const client = new MerchantClient({ environment: "sandbox", baseUrl: server.url, secretKey });
const folder = await mkdtemp(join(tmpdir(), "settlekit-terminal-"));
const recipientAddress = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const variables = {
  SETTLEKIT_ENVIRONMENT: "sandbox",
  SETTLEKIT_SANDBOX_URL: server.url,
  SETTLEKIT_SECRET_KEY: secretKey,
  SETTLEKIT_WEBHOOK_SECRET: sandbox.webhookSecret,
};

afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

describe.runIf(hasPseudoTerminals)("on a terminal", () => {
  const payout = (orderId: string) => [
    ...["withdrawals", "create-once", "--order-id", orderId, "--amount-in-cents", "12500"],
    ...["--chain-id", "84532", "--recipient-address", recipientAddress],
  ];

  test("a payout is sent only after its amount is typed", async () => {
    const prompt = "Type 125.00 to send it: ";
    const refused = await onTerminal(payout("payout_7"), {
      variables,
      answers: { [prompt]: "125\r" },
    });
    expect(refused.code).toBe(2);
    expect(refused.screen).toContain("Nothing was sent: the amounts differ.");
    expect(await client.withdrawals.findByOrderId("payout_7")).toEqual([]);
    const sent = await onTerminal(payout("payout_7"), {
      variables,
      answers: { [prompt]: "125.00\r" },
    });
    expect(sent.code).toBe(0);
    expect(sent.screen).toContain(`Send 125.00 USD to ${recipientAddress} on chain 84532`);
    expect(await client.withdrawals.findByOrderId("payout_7")).toHaveLength(1);
  });

  test.each([
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("%s at the prompt sends nothing, and says so", async (_, key) => {
    const { code, screen } = await onTerminal([...payout("payout_9"), "--json"], {
      variables,
      answers: { "Type 125.00 to send it: ": key },
    });
    expect(code).toBe(130);
    expect(screen).toMatch(/\r\n\{"type":"error",.*"message":"Nothing was sent\.".*\}\r\n/);
    expect(stripVTControlCharacters(screen)).toMatch(/\r\nsettlekit: Nothing was sent\.\r\n$/);
    expect(await client.withdrawals.findByOrderId("payout_9")).toEqual([]);
  });

  test("--all shows a progress bar until everything is read", async () => {
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        client.payments.create({ amount: 2500, orderId: `bar_${index}` }),
      ),
    );
    const { code, screen } = await onTerminal(["payments", "list", "--all"], {
      variables,
    });
    expect(code).toBe(0);
    const [full, after] = screen.split("\r\u001b[2K");
    expect(full).toMatch(/^\[={30}\] (\d+) of \1$/);
    // The bar is erased before the table is printed.
    expect(after).toMatch(/^id +orderId /);
  });

  test("init asks before it changes a variable", async () => {
    const own = await mkdtemp(join(folder, "init-"));
    const dotenv = join(own, ".env");
    await writeFile(dotenv, "SETTLEKIT_SECRET_KEY=mine\nSETTLEKIT_ENVIRONMENT=testnet\n");
    const { code } = await onTerminal(["init"], {
      cwd: own,
      answers: {
        "SETTLEKIT_SECRET_KEY has a different value in .env. Replace it? (y/N) ": "n\r",
        "SETTLEKIT_ENVIRONMENT has a different value in .env. Replace it? (y/N) ": "y\r",
      },
    });
    expect(code).toBe(0);
    const text = await readFile(dotenv, "utf8");
    expect(text).toContain("SETTLEKIT_SECRET_KEY=mine\nSETTLEKIT_ENVIRONMENT=sandbox\n");
  });

  test("Ctrl-C at a prompt of init leaves the file unchanged, and says so", async () => {
    const own = await mkdtemp(join(folder, "init-"));
    await writeFile(join(own, ".env"), "SETTLEKIT_ENVIRONMENT=testnet\n");
    const question = "SETTLEKIT_ENVIRONMENT has a different value in .env. Replace it? (y/N) ";
    const { code, screen } = await onTerminal(["init"], {
      cwd: own,
      answers: { [question]: "\u0003" },
    });
    expect(code).toBe(130);
    expect(stripVTControlCharacters(screen)).toMatch(
      /\r\nsettlekit: \.env was left unchanged\.\r\n$/,
    );
    expect(await readFile(join(own, ".env"), "utf8")).toBe("SETTLEKIT_ENVIRONMENT=testnet\n");
  });

  test("init replaces every assignment of a variable, however it is written", async () => {
    const own = await mkdtemp(join(folder, "init-"));
    const dotenv = join(own, ".env");
    const others = "A='SETTLEKIT_ENVIRONMENT=a'\n# SETTLEKIT_ENVIRONMENT=b\nEMPTY=\nLAST=1\n";
    const twice = 'SETTLEKIT_ENVIRONMENT=testnet\n  export SETTLEKIT_ENVIRONMENT = "x\ny" # z\n';
    await writeFile(dotenv, `${twice}${others}`);
    const question = "SETTLEKIT_ENVIRONMENT has a different value in .env. Replace it? (y/N) ";
    const { code } = await onTerminal(["init"], { cwd: own, answers: { [question]: "y\r" } });
    expect(code).toBe(0);
    const text = await readFile(dotenv, "utf8");
    const line = "SETTLEKIT_ENVIRONMENT=sandbox\n";
    expect(text.slice(0, text.indexOf("SETTLEKIT_SANDBOX_URL"))).toBe(`${line}${line}${others}`);
  });

  test.each([
    ["sandbox", ["sandbox", "--port", "0"]],
    ["listen", ["listen", "--port", "0"]],
  ])("%s runs until Ctrl-C", async (_, args) => {
    const { code, screen } = await onTerminal(args, {
      variables,
      answers: { "Ctrl-C stops it.": "\u0003" },
    });
    expect(code).toBe(130);
    // In colours, as this is a terminal.
    expect(screen).toContain("\u001b[2mCtrl-C stops it.\u001b[22m");
  });
});
