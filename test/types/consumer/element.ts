import { defineCheckoutElement, type Messages } from "settlekit/checkout/element";
import { type Equal, sameType } from "./equal.ts";

defineCheckoutElement();
const checkout = document.createElement("settlekit-checkout");
const messages: Partial<Messages> = { stepPaid: "Done" };
Object.assign(checkout, { paymentId: "p", secret: "s", messages });
checkout.rpcUrls = { 8453: ["https://mainnet.base.org"] };
// @ts-expect-error there are two themes, and auto
checkout.theme = "blue";
// @ts-expect-error no text has this name
checkout.messages = { stepPayed: "Done" };

checkout.addEventListener("settlekit-change", ({ detail }) => {
  sameType<Equal<typeof detail.orderId, string | null>>();
});
// The events bubble, and cross shadow boundaries.
document.querySelector("main")?.addEventListener("settlekit-paid", ({ detail }) => detail.status);
document.addEventListener("settlekit-expired", ({ detail }) => detail.paymentId);
addEventListener("settlekit-error", ({ detail }) => sameType<Equal<typeof detail.code, string>>());
// @ts-expect-error no event has this name, so it is an Event without details
document.addEventListener("settlekit-payed", ({ detail }) => detail);
