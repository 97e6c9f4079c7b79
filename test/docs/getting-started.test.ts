import { expect, test } from "vitest";
import { codeBlocks } from "./code-block.ts";
import { runProgram } from "./run-program.ts";

const blocks = await codeBlocks();
const shop = blocks.find(({ place, kind }) => {
  return place.startsWith("docs/getting-started.md") && kind === "server";
});

test("the getting-started shop sends its customer to the payment page, and learns of the payment", async () => {
  await using program = await runProgram(shop?.code ?? "");
  const { run, sandbox, serviceUrl, url } = program;
  await run.answers(url);
  const page = await fetch(url);
  expect(await page.text()).toContain("href=/buy");

  const bought = await fetch(`${url}/buy`, { redirect: "manual" });
  expect(bought.status).toBe(303);
  const [payment] = sandbox.payments.all();
  expect(bought.headers.get("location")).toBe(`${serviceUrl}/payment/${payment?.id}`);
  expect(payment).toMatchObject({ amountInCents: 2500, redirectUrl: url });

  await sandbox.payments.simulate(payment?.id ?? "", "success");
  await run.printed(new RegExp(`^${payment?.orderId}: paid$`, "m"));
});

test("the getting-started shop survives a failed call with an error page and a log line", async () => {
  await using program = await runProgram(shop?.code ?? "");
  const { run, sandbox, url } = program;
  await run.answers(url);
  sandbox.faults.next("POST /payments", { status: 403, when: "before" });
  const failed = await fetch(`${url}/buy`, { redirect: "manual" });
  expect(failed.status).toBe(503);
  expect(await failed.text()).toContain("Please try again");
  await run.printed(/PermissionError/);
  expect(run.output).not.toContain(sandbox.secretKey);

  const bought = await fetch(`${url}/buy`, { redirect: "manual" });
  expect(bought.status).toBe(303);
});

test("every server in README and the guides that creates payments catches failed calls", () => {
  const servers = blocks.filter(
    ({ code }) => code.includes("createServer(") && code.includes("payments.create("),
  );
  expect(servers.length).toBeGreaterThan(0);
  expect(servers.filter(({ code }) => !code.includes("catch (")).map(({ place }) => place)).toEqual(
    [],
  );
});
