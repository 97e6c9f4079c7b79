// Runs the contract suite as users run it against their own server: with nothing but a URL and keys.

import { spawn } from "node:child_process";
import { createSandbox } from "../src/sandbox/index.ts";

// The published dialect, which the suite otherwise tests only on sandboxes that it creates itself.
const sandbox = createSandbox({ dialect: "published", headerPrefix: "X-Acme" });
const server = await sandbox.listen({ port: 0 });
const vitest = spawn("vitest", ["run", "test/contract/any-server.test.ts"], {
  stdio: "inherit",
  env: {
    ...process.env,
    SETTLEKIT_CONTRACT_URL: server.url,
    SETTLEKIT_HEADER_PREFIX: sandbox.headerPrefix,
    SETTLEKIT_CONTRACT_SECRET_KEY: sandbox.secretKey,
    SETTLEKIT_CONTRACT_ACCESS_TOKEN: sandbox.accessToken,
    SETTLEKIT_CONTRACT_RECIPIENT: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    SETTLEKIT_CONTRACT_MERCHANT_ID: sandbox.merchantId,
  },
});
vitest.on("exit", async (code) => {
  await server.close();
  process.exitCode = code ?? 1;
});
