import { describe } from "vitest";
import { contract } from "./contract.ts";
import { targetFrom } from "./target.ts";

// Runs the contract against the server that the environment variables of `targetFrom` name:
//
//   SETTLEKIT_CONTRACT_URL=https://testnet.example SETTLEKIT_CONTRACT_SECRET_KEY=sk_test_... \
//     npx vitest run test/contract/any-server.test.ts
const target = targetFrom(process.env);

describe.skipIf(target === undefined)("the server of SETTLEKIT_CONTRACT_URL", () => {
  contract("the contract", async () => {
    if (target === undefined) throw new Error("SETTLEKIT_CONTRACT_URL names no server.");
    return target;
  });
});
