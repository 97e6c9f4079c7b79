import { setupServer } from "msw/node";
import { createSandbox, type Sandbox } from "settlekit/sandbox";
import { sandboxHandlers } from "settlekit/testing/msw";
import { contract } from "./contract.ts";
import { type Target, targetFrom } from "./target.ts";

const payee = { recipientAddress: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", chainId: 84_532 };

/** Everything that the contract can ask for: none of its parts is skipped. */
function targetOf(sandbox: Sandbox): Required<Omit<Target, "close">> {
  const { secretKey, merchantId, accessToken } = sandbox;
  return {
    fetch: (url, init) => sandbox.fetch(new Request(url, init)),
    baseUrl: "http://sandbox.test",
    secretKey,
    depositsEnabled: true,
    withdrawals: payee,
    dashboard: { merchantId, accessToken },
    settle: async (paymentId) => {
      await sandbox.payments.simulate(paymentId, "success");
    },
    conclude: async (withdrawalId, how) => {
      await sandbox.withdrawals.simulate(withdrawalId, how);
    },
    failNext: (status) =>
      sandbox.faults.next("*", {
        status,
        when: "before",
        ...(status === 429 && { retryAfter: 1 }),
      }),
  };
}

contract("a sandbox in process", async () => targetOf(createSandbox()));

contract("a sandbox in process, whose time stands still", async () =>
  targetOf(createSandbox({ seed: "contract", now: new Date("2026-01-01T00:00:00Z") })),
);

contract("a sandbox on a port, named by environment variables", async () => {
  const sandbox = createSandbox();
  const server = await sandbox.listen({ port: 0 });
  const named = targetFrom({
    SETTLEKIT_CONTRACT_URL: server.url,
    SETTLEKIT_CONTRACT_SECRET_KEY: sandbox.secretKey,
    SETTLEKIT_CONTRACT_RECIPIENT: payee.recipientAddress,
    SETTLEKIT_CONTRACT_MERCHANT_ID: sandbox.merchantId,
    SETTLEKIT_CONTRACT_ACCESS_TOKEN: sandbox.accessToken,
  });
  if (named === undefined) throw new Error("The variables name no target.");
  const { settle, conclude, failNext } = targetOf(sandbox);
  return { ...named, settle, conclude, failNext, close: server.close };
});

contract("a sandbox behind msw", async () => {
  const sandbox = createSandbox();
  const baseUrl = "https://service.example/merchant";
  const network = setupServer(...sandboxHandlers(sandbox, { baseUrl }));
  network.listen({ onUnhandledFrame: "error" });
  return {
    ...targetOf(sandbox),
    baseUrl,
    fetch: (url, init) => fetch(url, init),
    close: async () => network.close(),
  };
});

contract("a sandbox whose merchant has neither deposits nor withdrawals", async () => {
  const sandbox = createSandbox({ depositsEnabled: false, withdrawalsEnabled: false });
  return { ...targetOf(sandbox), depositsEnabled: false, withdrawals: "disabled" };
});
