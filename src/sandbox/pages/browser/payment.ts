import { defineCheckoutElement } from "../../../checkout/element/index.ts";
import { listenToCommands } from "./control.ts";
import { refreshSoon } from "./live-page.ts";

defineCheckoutElement();
listenToCommands();

const checkout = document.querySelector("settlekit-checkout");
// Without an enabled button, nothing more can happen to the payment.
if (checkout !== null && document.querySelector("button[data-post]:enabled") !== null) {
  new EventSource("/_sandbox/events").addEventListener("entry", ({ data }) => {
    if (JSON.parse(data).paymentId !== checkout.paymentId) return;
    void checkout.refresh();
    refreshSoon();
  });
}
