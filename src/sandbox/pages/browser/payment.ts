import { defineCheckoutElement } from "../../../checkout/element/index.ts";
import { listenToCommands } from "./control.ts";
import { listenToEvents, refreshSoon } from "./live-page.ts";

defineCheckoutElement();
listenToCommands();

const checkout = document.querySelector("settlekit-checkout");
// Without an enabled button, nothing more can happen to the payment.
if (checkout !== null && document.querySelector("button[data-post]:enabled") !== null) {
  listenToEvents(({ type, data }) => {
    const event = JSON.parse(data ?? "{}");
    // The payment is gone, or is in an earlier state.
    if (event.type === "reset") location.reload();
    const isOwn = event.paymentId === checkout.paymentId;
    if (isOwn) void checkout.refresh();
    if (isOwn || type === "open") refreshSoon();
  });
}
