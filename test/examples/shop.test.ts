import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createShop } from "../../examples/shop.ts";
import { MerchantClient } from "../../src/index.ts";
import { Webhooks } from "../../src/webhooks/index.ts";

test.each(["/", "//", "/orders/unknown"])("the shop has nothing at %s", async (path) => {
  const client = new MerchantClient({ secretKey: "sk_test_1", environment: "sandbox" });
  const webhooks = new Webhooks({ secret: "whsec_example" });
  await using server = createServer(createShop({ client, webhooks, log: () => {} }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(404);
});
