import { createSandbox } from "settlekit/sandbox";
import { expect, it } from "vitest";
import { errorOf, paymentsPath, send } from "../merchant.ts";

it.each([
  ['"orderId":""', "orderId must be a non-empty string, but is an empty string."],
  ['"orderId":7', "orderId must be a string, but is 7."],
  ['"orderId":"a","amount":1e999', "amount must be a number, but is Infinity."],
  [`"orderId":"${"x".repeat(300)}"`, "... (300 characters)."],
  ['"orderId":"a","amount":249', "amount must be from 250 to 100000000 USD cents, but is 249."],
])("says what is wrong with an invalid value: %s", async (fields, message) => {
  const body = `{"amount":2500,"currency":"USD",${fields}}`;
  const response = await send(createSandbox(), paymentsPath, { method: "POST", body });
  expect((await errorOf(response)).message).toContain(message);
});

it("says how large a number of the query must be", async () => {
  const response = await send(createSandbox(), `${paymentsPath}?limit=0`);
  expect((await errorOf(response)).message).toBe("limit must be at least 1, but is 0.");
});
