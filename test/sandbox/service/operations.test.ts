import { createSandbox } from "settlekit/sandbox";
import { expect, it } from "vitest";
import { credentialHeader } from "../../../src/wire/credential.ts";
import { operationTable } from "../../../src/wire/operations.ts";
import { readTolerantly } from "../../../src/wire/reading.ts";
import { create, order, origin, payout, withdraw } from "../merchant.ts";

const bodies: Record<string, unknown> = {
  "payments.create": order,
  "withdrawals.create": payout,
  "checkout.quotes.create": {},
  "checkout.refreshStatus": {},
};

it.each(Object.values(operationTable).map((operation) => ({ operation, name: operation.name })))(
  "$name is served as its operation says: credential, status and schema",
  async ({ operation }) => {
    const sandbox = createSandbox();
    const { paymentId, secret } = await create(sandbox);
    const { id: withdrawalId } = await withdraw(sandbox);
    const { merchantId, secretKey, accessToken } = sandbox;
    const values: Record<string, string> = { paymentId, withdrawalId, merchantId };
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
    const { name, scheme } = credentialHeader(operation.credential, "X-Service");
    const credential = { secretKey, accessToken, paymentSecret: secret }[operation.credential];

    const exchange = async (headers: Record<string, string>) => {
      const body = operation.body && { body: JSON.stringify(bodies[operation.name]) };
      const init = { method: operation.method, headers, ...body };
      return sandbox.fetch(new Request(origin + path, init));
    };
    expect((await exchange({})).status).toBe(401);
    const response = await exchange({ [name]: scheme + credential });
    expect(response.status).toBe(operation.successStatus ?? 200);
    expect(readTolerantly<unknown>(operation.response, await response.json()).drift).toEqual([]);
  },
);
