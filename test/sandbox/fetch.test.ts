import { createSandbox } from "settlekit/sandbox";
import { expect, it } from "vitest";
import { order, origin, paymentsPath } from "./merchant.ts";

it.each([
  ["text", origin + paymentsPath],
  ["a URL", new URL(origin + paymentsPath)],
  ["a Request", new Request(origin + paymentsPath)],
])("sandbox.fetch takes %s and an init, as the platform's fetch does", async (_, input) => {
  const sandbox = createSandbox();
  const response = await sandbox.fetch(input, {
    method: "POST",
    headers: { "X-Service-Secret-Key": sandbox.secretKey },
    body: JSON.stringify(order),
  });
  expect(response.status).toBe(201);
  expect(sandbox.payments.all()).toHaveLength(1);
});

it("rejects a request whose body was already used, as the platform's fetch does", async () => {
  const sandbox = createSandbox();
  const headers = { "X-Service-Secret-Key": sandbox.secretKey };
  const body = JSON.stringify(order);
  const request = new Request(origin + paymentsPath, { method: "POST", headers, body });
  expect((await sandbox.fetch(request)).status).toBe(201);
  await expect(sandbox.fetch(request)).rejects.toThrow(TypeError);
});
