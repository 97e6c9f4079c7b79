import { createSandbox, type Dialect } from "settlekit/sandbox";
import { contract } from "./contract.ts";
import { payee, sandboxTarget } from "./sandbox-target.ts";
import { type Target, targetFrom } from "./target.ts";

// Runs the contract against the server that the environment variables of `targetFrom` name:
//
//   SETTLEKIT_CONTRACT_URL=https://testnet.example SETTLEKIT_CONTRACT_SECRET_KEY=sk_test_... \
//     npx vitest run test/contract/any-server.test.ts
const named = targetFrom(process.env);

if (named !== undefined) contract("the server of SETTLEKIT_CONTRACT_URL", named);
else {
  for (const dialect of ["documented", "published"] as const) {
    const target = await sandboxOnPort(dialect);
    contract(
      `a sandbox on a port in the ${dialect} form, in place of SETTLEKIT_CONTRACT_URL`,
      target,
    );
  }
}

async function sandboxOnPort(dialect: Dialect): Promise<Target> {
  const sandbox = createSandbox({ dialect });
  const server = await sandbox.listen({ port: 0 });
  const target = targetFrom({
    SETTLEKIT_CONTRACT_URL: server.url,
    SETTLEKIT_CONTRACT_SECRET_KEY: sandbox.secretKey,
    SETTLEKIT_CONTRACT_RECIPIENT: payee.recipientAddress,
    SETTLEKIT_CONTRACT_MERCHANT_ID: sandbox.merchantId,
    SETTLEKIT_CONTRACT_ACCESS_TOKEN: sandbox.accessToken,
  });
  if (target === undefined) throw new Error("The variables name no target.");
  const { settle, conclude, failNext } = sandboxTarget(sandbox);
  return { ...target, settle, conclude, failNext, close: server.close };
}
