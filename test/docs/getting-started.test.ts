import { expect, test } from "vitest";
import { codeBlocks } from "./code-block.ts";
import { runProgram } from "./run-program.ts";

const blocks = await codeBlocks();
const shop = blocks.find(({ place, kind }) => {
  return place.startsWith("docs/getting-started.md") && kind === "server";
});

test("the shop of getting started leads its customer to the payment page, and hears of the payment", async () => {
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
