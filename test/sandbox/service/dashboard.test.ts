import { createSandbox, type Sandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { isAddress } from "../../../src/evm/address.ts";
import type { WithdrawalConfig } from "../../../src/wire/withdrawal.ts";
import { errorOf, origin, payout, send, withdraw, withdrawalsPath } from "../merchant.ts";

function ask(sandbox: Sandbox, path: string, authorization = `Bearer ${sandbox.accessToken}`) {
  const headers = { Authorization: authorization };
  return sandbox.fetch(new Request(`${origin}/v1/merchants/${path}`, { headers }));
}

describe("the dashboard's routes", () => {
  it("return the same withdrawals as the merchant's own routes", async () => {
    const sandbox = createSandbox();
    const { id } = await withdraw(sandbox);
    await sandbox.withdrawals.simulate(id, "complete");
    await withdraw(sandbox);
    const base = `${sandbox.merchantId}/withdrawals`;
    for (const path of ["", "?status=completed", "?limit=1&offset=1", `/${id}`]) {
      const [here, there] = [
        await ask(sandbox, base + path),
        await send(sandbox, withdrawalsPath + path),
      ];
      expect([here.status, await here.json()]).toEqual([200, await there.json()]);
    }
  });

  it("create withdrawals", async () => {
    const sandbox = createSandbox();
    const url = `${origin}/v1/merchants/${sandbox.merchantId}/withdrawals`;
    const response = await sandbox.fetch(url, {
      method: "POST",
      headers: { Authorization: `Bearer ${sandbox.accessToken}` },
      body: JSON.stringify(payout),
    });
    expect(response.status).toBe(201);
    expect(sandbox.withdrawals.all()).toMatchObject([{ status: "pending", amountInCents: 12_500 }]);
  });

  it("return the supported tokens, the limits and the sending wallet", async () => {
    const sandbox = createSandbox({ seed: "config" });
    const response = await ask(sandbox, `${sandbox.merchantId}/withdrawals/config`);
    expect(response.status).toBe(200);
    const config = (await response.json()) as WithdrawalConfig;
    expect(isAddress(config.backendWallet)).toBe(true);
    expect(config.limits).toEqual({ minAmountInCents: 100, maxAmountInCents: 100_000_000 });
    expect(config.supported.map(({ symbol, chain }) => [symbol, chain?.chainId])).toEqual([
      ["ETH", 84_532],
      ["USDC", 84_532],
      ["USDT", 84_532],
      ["ETH", 11_155_111],
      ["USDC", 11_155_111],
      ["USDT", 11_155_111],
    ]);
    const { id } = await withdraw(sandbox);
    const { receipt } = await sandbox.withdrawals.simulate(id, "complete");
    expect(receipt?.txSenderAddress).toBe(config.backendWallet);
  });

  it("read the scheme in any case", async () => {
    const sandbox = createSandbox();
    for (const scheme of ["bearer", "BEARER"]) {
      const authorization = `${scheme} ${sandbox.accessToken}`;
      const response = await ask(sandbox, `${sandbox.merchantId}/withdrawals`, authorization);
      expect(response.status).toBe(200);
    }
  });

  it.each([
    ["another token", "Bearer at_test_other"],
    ["no token", "Bearer "],
    ["another scheme", "Basic dTpw"],
  ])("refuse %s", async (_title, authorization) => {
    const sandbox = createSandbox();
    for (const path of ["", "/config", "/some-id"]) {
      const response = await ask(
        sandbox,
        `${sandbox.merchantId}/withdrawals${path}`,
        authorization,
      );
      expect(response.status).toBe(401);
      const error = await errorOf(response);
      expect(error).toMatchObject({ type: "authentication_error", code: "invalid_access_token" });
      expect(error.message).not.toContain(sandbox.accessToken);
    }
  });

  it("refuse the secret key, as the merchant's own routes refuse the token", async () => {
    const sandbox = createSandbox();
    const headers = { "X-Service-Secret-Key": sandbox.secretKey };
    const url = `${origin}/v1/merchants/${sandbox.merchantId}/withdrawals`;
    expect((await sandbox.fetch(new Request(url, { headers }))).status).toBe(401);
    const token = { Authorization: `Bearer ${sandbox.accessToken}`, "X-Service-Secret-Key": "" };
    expect((await send(sandbox, withdrawalsPath, { headers: token })).status).toBe(401);
  });

  it("refuse another merchant", async () => {
    const sandbox = createSandbox();
    const response = await ask(sandbox, `${createSandbox().merchantId}/withdrawals`);
    expect([response.status, (await errorOf(response)).code]).toEqual([403, "forbidden"]);
  });
});

it("an access token is redacted, survives a reset, and depends on the seed", async () => {
  const sandbox = createSandbox({ seed: 1 });
  const { accessToken } = sandbox;
  expect(accessToken).toMatch(/^at_test_[0-9a-f]{48}$/);
  await ask(sandbox, `${sandbox.merchantId}/withdrawals`);
  expect(JSON.stringify(sandbox.requests())).not.toContain(accessToken);
  sandbox.reset();
  expect(sandbox.accessToken).toBe(accessToken);
  expect(createSandbox({ seed: 1 }).accessToken).toBe(accessToken);
  expect(createSandbox({ seed: 2 }).accessToken).not.toBe(accessToken);
});
