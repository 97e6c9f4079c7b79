import { createSandbox } from "settlekit/sandbox";
import { expect, it } from "vitest";
import { credentialHeader } from "../../../src/wire/credential.ts";
import { operationTable } from "../../../src/wire/operations.ts";
import { create, order, origin, payout, withdraw } from "../merchant.ts";

const bodies: Record<string, unknown> = {
  "payments.create": order,
  "withdrawals.create": payout,
  "checkout.quotes.create": {},
  "checkout.refreshStatus": {},
  "dashboard.withdrawals.create": payout,
};

it.each(Object.values(operationTable).map((operation) => ({ operation, name: operation.name })))(
  "$name is served with its operation's credential and status",
  async ({ operation }) => {
    const sandbox = createSandbox();
    const { paymentId, secret } = await create(sandbox);
    const { id: withdrawalId } = await withdraw(sandbox);
    const { merchantId, secretKey, accessToken } = sandbox;
    const tokenId = "8c5d8a0e-54c1-4b8e-9c58-000000845321";
    const chainId = "84532";
    const ids: Record<string, string> = { paymentId, withdrawalId, merchantId, tokenId, chainId };
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? "");
    const header = credentialHeader(operation.credential, "X-Service");
    const credentials = { secretKey, accessToken, paymentSecret: secret, none: "" };
    const credential = credentials[operation.credential];

    const exchange = async (headers: Record<string, string>) => {
      const body = operation.body && { body: JSON.stringify(bodies[operation.name]) };
      const init = { method: operation.method, headers, ...body };
      return sandbox.fetch(new Request(origin + path, init));
    };
    if (header) expect((await exchange({})).status).toBe(401);
    const response = await exchange(header ? { [header.name]: header.scheme + credential } : {});
    expect(response.status).toBe(operation.successStatus ?? 200);
  },
);
