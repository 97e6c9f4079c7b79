import { describe, expect, test, vi } from "vitest";
import { commands, parse } from "../../src/cli/command-line.ts";
import { scriptedServer, silent } from "../scripted-server.ts";
import { CommandLine } from "./command-line.ts";
import { sandboxInProcess } from "./running-sandbox.ts";

const { sandbox, run, runWith, jsonOf } = await sandboxInProcess("cli");

const recipient = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const payout = (orderId: string) => [
  ...["withdrawals", "create-once", "--order-id", orderId, "--amount-in-cents", "12500"],
  ...["--chain-id", "84532", "--recipient-address", recipient],
];

describe("commands that call the service", () => {
  test("a payment is created, listed, found, read and awaited", async () => {
    const created = await run("payments", "create", "--order-id", "order_1", "--amount", "2500");
    expect(created.code).toBe(0);
    const [, paymentId = ""] = /^paymentId +(\S+)$/m.exec(created.stdout) ?? [];
    expect(created.stdout).toMatch(/^payment\.status +pending$/m);
    expect(await jsonOf("payments", "list")).toMatchObject([
      { id: paymentId, amountInCents: 2500 },
    ]);
    expect(await jsonOf("payments", "find", "order_1")).toMatchObject([{ id: paymentId }]);
    expect(await jsonOf("payments", "find", "order_2")).toEqual([]);
    expect((await run("payments", "find", "order_2")).stderr).toBe("No results.\n");
    await sandbox.payments.simulate(paymentId, "success");
    expect(await jsonOf("payments", "wait", paymentId)).toMatchObject([{ status: "completed" }]);
    expect(await jsonOf("payments", "get", paymentId)).toMatchObject([{ status: "completed" }]);
  });

  test("quotes are listed and created with the payment's secret", async () => {
    const [{ paymentId, secret }] = await jsonOf(
      ...["payments", "create", "--order-id", "order_1", "--amount", "2500"],
    );
    const quotes = await jsonOf("quotes", "list", paymentId, "--secret", secret);
    expect(quotes.length).toBeGreaterThan(1);
    const { stdout } = await run("quotes", "list", paymentId, "--secret", secret);
    expect(stdout).toMatch(/^id +chainId +token\.symbol +status /);
    expect(stdout).toContain("USDC");
    const variables = { SETTLEKIT_PAYMENT_SECRET: secret };
    expect(await runWith(variables, "quotes", "list", paymentId)).toMatchObject({ stdout });
    const { stderr } = await run("quotes", "list", paymentId);
    expect(stderr).toContain("There is no payment secret. Set SETTLEKIT_PAYMENT_SECRET");
    const created = await run(
      ...["quotes", "create", paymentId, "--secret", secret, "--chain-id", "84532"],
      ...["--contract-address", `0x${"0".repeat(40)}`],
    );
    expect(created).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^chainId +84532$/m),
    });
  });

  test("an error is a JSON line with --json, and sets the exit code", async () => {
    const { code, stdout, stderr } = await run("payments", "get", "nowhere", "--json");
    expect(code).toBe(5);
    expect(stderr).toContain("There is no payment with this id.");
    expect(JSON.parse(stdout)).toMatchObject({
      type: "error",
      error: { name: "NotFoundError", code: "not_found", status: 404 },
    });
  });

  test.each([
    [
      "a relative URL",
      ["--amount", "2500", "--redirect-url", "shop"],
      "`--redirect-url`: redirectUrl must",
    ],
    ["an amount in dollars", ["--amount", "25.00"], "--amount"],
    ["an amount of 2^53 or more", ["--amount", "9".repeat(20)], "Expected a safe integer between"],
  ])("%s is a usage error", async (_, options, said) => {
    const ended = await run("payments", "create", "--order-id", "a", ...options);
    expect(ended).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(said) });
  });

  test("an error about a variable does not blame the option that was not typed", async () => {
    const prefixed = { SETTLEKIT_HEADER_PREFIX: "a b" };
    const { stderr } = await runWith(prefixed, "payments", "list");
    expect(stderr).toMatch(/^settlekit: SETTLEKIT_HEADER_PREFIX must be /);
  });

  test("a payment requires --amount; a deposit does not", async () => {
    const { code, stderr } = await run("payments", "create", "--order-id", "a");
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("amount is missing. It must be a whole number"),
    ]);
    const deposit = await run("payments", "create", "--order-id", "a", "--type", "deposit");
    expect(deposit.code).toBe(0);
  });

  test("an order id of digits stays text", async () => {
    const args = ["--order-id", "2026", "--amount", "5000", "--json"];
    const { stdout } = await run("payments", "create", ...args);
    expect(stdout).toContain('"orderId":"2026"');
  });

  test("public lists need no secret key", async () => {
    const { stdout } = await runWith({ SETTLEKIT_SECRET_KEY: "" }, "chains", "list");
    expect(stdout).toContain("84532");
  });

  test("a credential that a proxy echoes is not printed", async () => {
    await using proxy = await scriptedServer({ status: 502, body: `key ${sandbox.secretKey}` });
    const behindProxy = { SETTLEKIT_SANDBOX_URL: proxy.url };
    const { code, stdout, stderr } = await runWith(behindProxy, "payments", "get", "p", "--json");
    expect(code).toBe(5);
    expect(stdout + stderr).not.toContain(sandbox.secretKey);
  });
});

function helpOf(...words: string[]): string {
  let help = "";
  const write = (text: string) => {
    help += text;
  };
  parse([...words, "--help"], { write });
  return help;
}

test("the help of an operation omits its evidence, which docs/wire.md gives", () => {
  expect(helpOf("payments", "get")).toMatch(/^Read a payment\.\nUsage: .*\n\nOptions:\n/);
  for (const { words } of commands) {
    const [description = ""] = helpOf(...words).split("\nOptions:\n");
    expect(description).not.toMatch(/published|assumed|Interface section/);
  }
});

describe("payments create", () => {
  const create = (...more: string[]) => [
    ...["payments", "create", "--order-id", "order_1", "--amount", "2500", ...more],
  ];

  test("exits with 6 when its outcome is unknown, and prints the key to repeat it with", async () => {
    await using service = await scriptedServer(
      { status: 503, headers: { "retry-after": "0.25" } },
      { status: 400, body: { error: { code: "invalid_request", message: "No." } } },
    );
    const { code, stdout } = await runWith(
      { SETTLEKIT_SANDBOX_URL: service.url },
      ...create("--idempotency-key", "k_1", "--json"),
    );
    expect(code).toBe(6);
    expect(JSON.parse(stdout)).toMatchObject({
      type: "error",
      error: { name: "OutcomeUnknownError", idempotencyKey: "k_1" },
    });
    const keys = service.requests.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toEqual(["k_1", "k_1"]);
  });

  test("creates one payment for a repeated key", async () => {
    const [first] = await jsonOf(...create("--idempotency-key", "k_1"));
    const [second] = await jsonOf(...create("--idempotency-key", "k_1"));
    expect(second).toEqual(first);
    expect(await jsonOf("payments", "list")).toHaveLength(1);
  });
});

describe("withdrawals create-once", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("says that the outcome is unknown when %s interrupts it", async (signal, code) => {
    const list = { data: [], pagination: { total: 0, limit: 1000, offset: 0, hasMore: false } };
    await using service = await scriptedServer({ body: list }, silent);
    const variables = { SETTLEKIT_ENVIRONMENT: "sandbox", SETTLEKIT_SANDBOX_URL: service.url };
    await using running = new CommandLine([...payout("payout_1"), "--yes"], {
      ...variables,
      SETTLEKIT_SECRET_KEY: sandbox.secretKey,
    });
    await vi.waitFor(() => expect(service.requests.at(-1)?.method).toBe("POST"));
    const ended = await running.stop(signal);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toMatch(
      /createOnce was aborted before it was known whether the withdrawal for orderId "payout_1" was created\. Wait two minutes/,
    );
  });

  test("pays each order out once", async () => {
    const [first] = await jsonOf(...payout("payout_1"), "--yes");
    const [second] = await jsonOf(...payout("payout_1"), "--yes");
    expect(second.id).toBe(first.id);
    expect(await jsonOf("withdrawals", "list")).toHaveLength(1);
  });

  test("accepts a chain id in CAIP-2 form", async () => {
    const args = payout("payout_1").map((arg) => (arg === "84532" ? "eip155:84532" : arg));
    expect(await jsonOf(...args, "--yes")).toMatchObject([{ chainId: 84_532 }]);
  });

  test("sends nothing without --yes when there is no terminal to confirm on", async () => {
    const { code, stderr } = await run(...payout("payout_1"));
    expect(code).toBe(2);
    expect(stderr).toContain("Pass --yes");
    expect(await jsonOf("withdrawals", "list")).toEqual([]);
  });

  test("refuses an invalid address before it asks for confirmation", async () => {
    const args = payout("payout_1").map((arg) => (arg === recipient ? "0x12" : arg));
    const { code, stderr } = await run(...args);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^settlekit: `--recipient-address`: /),
    ]);
  });

  test("sends nothing without --yes when the question would go to a file", async () => {
    const { isTTY } = process.stdin;
    process.stdin.isTTY = true;
    const { code, stderr } = await run(...payout("payout_1"));
    process.stdin.isTTY = isTTY;
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("Pass --yes") });
    expect(await jsonOf("withdrawals", "list")).toEqual([]);
  });

  test("requires --production when real money would move", async () => {
    await using service = await scriptedServer({ status: 500 });
    const production = {
      SETTLEKIT_ENVIRONMENT: "production",
      SETTLEKIT_BASE_URL: service.url,
      SETTLEKIT_SECRET_KEY: "sk_production_key",
    };
    const { code, stderr } = await runWith(production, ...payout("payout_1"), "--yes");
    expect(code).toBe(2);
    expect(stderr).toContain("pass --production");
    expect(service.requests).toEqual([]);
  });
});
