import { openShop } from "../../shop/shop.ts";

/** Route handlers receive the raw body, which the signature covers. */
export function POST(request: Request): Promise<Response> {
  return openShop().webhooks.fetchHandler()(request);
}
