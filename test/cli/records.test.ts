import { expect, test } from "vitest";
import { printList } from "../../src/cli/records.ts";
import type { Terminal } from "../../src/cli/terminal.ts";
import { scriptedServer } from "../scripted-server.ts";
import { answers } from "../wire/answers.ts";
import { CommandLine } from "./command-line.ts";
import { sandboxInProcess } from "./running-sandbox.ts";

const { sandbox, run, jsonOf } = await sandboxInProcess("records");

test("a list is a table for people, and CSV or JSON lines for programs", async () => {
  for (const id of ["a,b", 'c"d'])
    await run("payments", "create", "--order-id", id, "--amount", "900");
  const { stdout: table } = await run("payments", "list");
  const [head, ...rows] = table.trimEnd().split("\n");
  expect(head).toMatch(/^id +orderId +status +amountInCents +type +createdAt$/);
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatch(/^[0-9a-f-]{36} {2}c"d +pending +900 +payment /);
  const { stdout: csv } = await run("payments", "list", "--csv");
  expect(csv).toMatch(/^id,merchantId,/);
  expect(csv).toContain(',"a,b",');
  expect(csv).toContain(',"c""d",');
});

test.each([
  ["注文_2", "four_2"],
  ["\u001b[31mred", "\\u001b[31mred"],
  ["🧾_4", "tw_4"],
  ["👩‍👩‍👧_5", "tw_5"],
  ["🇩🇪❤️_6", "four_6"],
  ["Jose\u0301", "Jose"],
  ["zero\u200bwidth", "zerowidth"],
  ["𝒶𠮷", "one"],
])("the columns of a table are aligned below %j", async (id, asWide) => {
  for (const orderId of ["order_1", id])
    await run("payments", "create", "--order-id", orderId, "--amount", "900");
  const { stdout } = await run("payments", "list");
  const [first, second, third] = stdout
    .replace(id.includes("\u001b") ? asWide : id, asWide)
    .split("\n")
    .map((line) => line.search(/status|pending/));
  expect([second, third]).toEqual([first, first]);
});

test("a table may have more rows than a function takes arguments", async () => {
  const lines: string[] = [];
  const terminal = { progress() {}, isRead: () => true, print: (line: string) => lines.push(line) };
  const list = Promise.resolve(Array.from({ length: 150_000 }, (_, id) => ({ id })));
  await printList(list, { columns: ["id"] }, terminal as unknown as Terminal);
  expect(lines).toHaveLength(150_001);
});

test("a table leaves out the columns that a terminal has no room for, and names them", async () => {
  const item = {
    id: "89578b2f-bc28-40a3-8d61-1d157ce42967",
    recipient: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    amount: 2500,
    problem: "The recipient is not on the list of allowed recipients.",
  };
  const table = Object.keys(item);
  const printed = async (columns: number | undefined) => {
    const out: string[] = [];
    const print = (line: string) => void out.push(line);
    const terminal = { progress() {}, isRead: () => true, print, say: print, columns };
    await printList([item], { columns: table, table }, terminal as unknown as Terminal);
    return out;
  };
  const [head, row] = await printed(undefined);
  expect(head).toMatch(/^id +recipient +amount +problem$/);
  expect(await printed(200)).toEqual([head, row]);
  expect(await printed(143)).toEqual([head, row]);
  expect(await printed(79)).toEqual([
    `id${" ".repeat(36)}amount  problem`,
    `${item.id}  2500    ${item.problem}`,
    "Too wide for this terminal: recipient. --json prints everything.",
  ]);
  expect((await printed(20)).at(-1)).toContain("recipient, amount.");
});

test("the balances' table begins with chain and token", async () => {
  const { stdout } = await run("balances");
  expect(stdout).toMatch(/^chainId +token\.symbol +amountFormatted\n84532 +[A-Z]+ +\d/);
});

test("CSV and tables show the fields of a nullable object", async () => {
  const { stdout: tokens } = await run("tokens", "list");
  expect(tokens).toMatch(/^id .* symbol +status +tokenPriceUsd +contractAddress +type\n/);
  expect(tokens).toMatch(/^\S+ +84532 +USDC /m);
  const recipient = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
  const [{ id }] = await jsonOf(
    ...["withdrawals", "create-once", "--order-id", "payout_1", "--amount-in-cents", "12500"],
    ...["--chain-id", "84532", "--recipient-address", recipient, "--yes"],
  );
  await sandbox.withdrawals.simulate(id, "complete");
  const { stdout: csv } = await run("withdrawals", "list", "--csv");
  const [head = [], row = []] = csv.split("\n").map((line) => line.split(","));
  const { receipt } = sandbox.withdrawals.all()[0] ?? {};
  expect(row[head.indexOf("receipt.txHash")]).toBe(receipt?.txHash);
  expect(row[head.indexOf("receipt.settledAmountUsd")]).toBe("125.00");
});

test("--limit and --all set how much of a list is read", async () => {
  const client = ["payments", "create", "--amount", "900", "--order-id"];
  for (let index = 0; index < 25; index++) await run(...client, `order_${index}`);
  expect(await jsonOf("payments", "list")).toHaveLength(20);
  expect(await jsonOf("payments", "list", "--limit", "3")).toHaveLength(3);
  expect(await jsonOf("payments", "list", "--all")).toHaveLength(25);
  expect(await jsonOf("payments", "list", "--offset", "24")).toHaveLength(1);
  expect(await jsonOf("payments", "list", "--status", "completed")).toEqual([]);
});

test("a list says how many more items there are", async () => {
  const client = ["payments", "create", "--amount", "900", "--order-id"];
  for (let index = 0; index < 5; index++) await run(...client, `order_${index}`);
  const saidBy = async (...args: string[]) => (await run("payments", "list", ...args)).stderr;
  expect(await saidBy()).toBe("");
  expect(await saidBy("--limit", "2")).toBe("3 more; --all prints them.\n");
  expect(await saidBy("--limit", "2", "--offset", "2", "--csv")).toMatch(/^1 more/);
  expect(await saidBy("--limit", "2", "--offset", "3")).toBe("");
  expect(await saidBy("--limit", "2", "--json")).toBe("");
});

test("a list is not read further than its output", async () => {
  const page = Array.from({ length: 500 }, () => ({ ...answers.createPayment.payment }));
  await using service = await scriptedServer((response, { url }) => {
    const offset = Number(new URL(url, "http://shop").searchParams.get("offset"));
    for (const [index, payment] of page.entries()) payment.id = `p_${offset + index}`;
    const pagination = { total: 1_000_000, limit: 500, offset, hasMore: true };
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({ data: page, pagination }));
  });
  await using running = new CommandLine(["payments", "list", "--all", "--json"], {
    SETTLEKIT_ENVIRONMENT: "sandbox",
    SETTLEKIT_SANDBOX_URL: service.url,
    SETTLEKIT_SECRET_KEY: sandbox.secretKey,
  });
  await running.stdout.next(() => true);
  running.process.stdout?.destroy();
  expect(await running.ended).toMatchObject({ code: 0, stderr: "" });
});

test.each([
  [["--csv", "--json"], "Pass --csv or --json, not both."],
  [["--limit", "1", "--all"], "Pass --limit or --all, not both."],
])("a list refuses %j, because one option would be ignored", async (args, reason) => {
  const { code, stderr } = await run("payments", "list", ...args);
  expect(code).toBe(2);
  expect(stderr).toContain(reason);
});
