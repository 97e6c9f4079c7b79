import { listenToCommands } from "./control.ts";
import { CopyButton, ReturnLink } from "./elements.ts";
import { refreshSoon } from "./live-page.ts";
import { changedEvent, PaymentElement } from "./payment-element.ts";

customElements.define("copy-button", CopyButton);
customElements.define("return-link", ReturnLink);
customElements.define("settlekit-payment", PaymentElement);
listenToCommands();

const payment = document.querySelector("settlekit-payment");
// Without a button that can still be used, nothing more can happen to the payment.
if (payment !== null && document.querySelector("button[data-post]:enabled") !== null) {
  new EventSource("/_sandbox/events").addEventListener("entry", ({ data }) => {
    if (JSON.parse(data).paymentId !== payment.getAttribute("payment-id")) return;
    document.dispatchEvent(new Event(changedEvent));
    refreshSoon();
  });
}
