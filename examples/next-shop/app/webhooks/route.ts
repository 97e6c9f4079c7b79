import { openShop } from "../../shop/shop.ts";

/** Route handlers get the request as it came: the signature covers the bytes that were sent. */
export function POST(request: Request): Promise<Response> {
  return openShop().webhooks.fetchHandler()(request);
}
