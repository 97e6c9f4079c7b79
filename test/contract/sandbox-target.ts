import type { Sandbox } from "settlekit/sandbox";
import type { Target } from "./target.ts";

export const payee = {
  recipientAddress: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  chainId: 84_532,
};

/** A target with everything that the contract can use, so that no test is left out. */
export function sandboxTarget(sandbox: Sandbox): Required<Omit<Target, "open" | "close">> {
  const { secretKey, headerPrefix, merchantId, accessToken } = sandbox;
  return {
    fetch: (url, init) => sandbox.fetch(new Request(url, init)),
    baseUrl: "http://sandbox.test",
    secretKey,
    headerPrefix,
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
