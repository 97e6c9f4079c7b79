import { CopyButton } from "./copy-button.ts";
import { PaymentElement } from "./payment-element.ts";
import { ReturnLink } from "./return-link.ts";
import { SandboxStrip } from "./sandbox-strip.ts";

customElements.define("copy-button", CopyButton);
customElements.define("return-link", ReturnLink);
customElements.define("settlekit-payment", PaymentElement);
customElements.define("sandbox-strip", SandboxStrip);
