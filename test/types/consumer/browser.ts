import {
  CheckoutClient,
  isFinal,
  NotFoundError,
  type Payment,
  type Quote,
} from "settlekit/checkout";
import { type Equal, sameType } from "./equal.ts";

// @ts-expect-error a customer's page has no secret key
new CheckoutClient({ paymentId: "p", secret: "s", secretKey: "sk_1" });
// @ts-expect-error the payment secret is needed
new CheckoutClient({ paymentId: "p" });

export async function show(baseUrl: string): Promise<string> {
  const checkout = new CheckoutClient({ paymentId: "p", secret: "s", baseUrl });
  const payment = await checkout.payment();
  sameType<Equal<typeof payment, Payment>>();
  const quote = (await checkout.quotes.list()).at(0);
  sameType<Equal<typeof quote, Quote | undefined>>();
  if (quote === undefined) return "";
  const request = checkout.paymentRequest(payment, quote);
  const { address, amount, amountUnits, chainId } = request;
  sameType<Equal<typeof chainId, number>>();
  for await (const { status } of checkout.watch()) if (isFinal(status)) break;
  await checkout.quotes.create().catch((error: unknown) => NotFoundError.is(error));
  // @ts-expect-error QR codes are drawn by methods
  const svg: string = request.addressQrSvg;
  return [address, amount, amountUnits, request.addressQrSvg(), svg].join();
}
