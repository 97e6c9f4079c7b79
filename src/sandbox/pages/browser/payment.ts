import { CopyButton, ReturnLink } from "./elements.ts";
import { PaymentElement } from "./payment-element.ts";
import { SandboxStrip } from "./sandbox-strip.ts";

customElements.define("copy-button", CopyButton);
customElements.define("return-link", ReturnLink);
customElements.define("settlekit-payment", PaymentElement);
customElements.define("sandbox-strip", SandboxStrip);
