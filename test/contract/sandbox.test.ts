import { setupServer } from "msw/node";
import { createSandbox } from "settlekit/sandbox";
import { sandboxHandlers } from "settlekit/testing/msw";
import { contract } from "./contract.ts";
import { sandboxTarget } from "./sandbox-target.ts";

contract("a sandbox in process", sandboxTarget(createSandbox()));

contract(
  "a sandbox in process with a frozen clock",
  sandboxTarget(createSandbox({ seed: "contract", now: new Date("2026-01-01T00:00:00Z") })),
);

contract(
  "a sandbox in the newest published form, under another header prefix",
  sandboxTarget(createSandbox({ dialect: "published", headerPrefix: "X-Acme" })),
);

for (const dialect of ["documented", "published"] as const) {
  const behindMsw = createSandbox({ dialect });
  const baseUrl = "https://service.example/merchant";
  const network = setupServer(...sandboxHandlers(behindMsw, { baseUrl }));
  contract(`a sandbox behind msw, in the ${dialect} form`, {
    ...sandboxTarget(behindMsw),
    baseUrl,
    fetch: (url, init) => fetch(url, init),
    open: () => network.listen({ onUnhandledFrame: "error" }),
    close: async () => network.close(),
  });
}

contract("a sandbox whose merchant may create neither deposits nor withdrawals", {
  ...sandboxTarget(createSandbox({ depositsEnabled: false, withdrawalsEnabled: false })),
  depositsEnabled: false,
  withdrawals: "disabled",
});
