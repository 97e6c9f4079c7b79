import type { Mutant } from "../mutants.ts";

const element = "src/checkout/element";
const tests = "test/checkout/element";

/** The checkout's safeguards of the customer's money, without which a test fails. */
export const checkoutMutants: readonly Mutant[] = [
  {
    name: "a quote of another payment can be paid",
    file: "src/checkout/payment-request.ts",
    find: "quote.paymentId !== payment?.id",
    replace: "quote.paymentId === undefined",
    test: "test/checkout/payment-request.test.ts",
  },
  {
    name: "a response about another payment is shown",
    file: `${element}/state.ts`,
    find: "if (id !== paymentId) {",
    replace: "if (id === undefined) {",
    test: `${tests}/wallet-payment.test.ts`,
  },
  {
    name: "a quote in another token or on another network is shown as the chosen one",
    file: `${element}/state.ts`,
    find: "(!asked || (asked.key === choice.key && asked.decimals === choice.decimals))",
    replace: "(!asked || asked.chainId)",
    test: `${tests}/state.test.ts`,
  },
  {
    name: "an expired quote is shown",
    file: `${element}/state.ts`,
    find: "if (request.remainingMs() === 0) {",
    replace: "if (request.remainingMs() < 0) {",
    test: `${tests}/state.test.ts`,
  },
  {
    name: "an amount loses digits on its way to the wallet",
    file: `${element}/transfer.ts`,
    find: "units.toString(16)",
    replace: "Number(units).toString(16)",
    test: `${tests}/transfer.test.ts`,
  },
  {
    name: "a wallet on another network is asked to send",
    file: `${element}/wallet-requests.ts`,
    find: "Number(chainId) === payer.offer.request.chainId",
    replace: "Number(chainId) > 0",
    test: `${tests}/wallet-requests.test.ts`,
  },
  {
    name: "a wallet is asked to send although the attempt is over",
    file: `${element}/wallet-requests.ts`,
    find: "  if (!isCurrent()) throw quoteExpired(name);\n  const params",
    replace: "  const params",
    test: `${tests}/wallet-requests.test.ts`,
  },
  {
    name: "an unknown error of a wallet proves that nothing was sent",
    file: `${element}/wallet-requests.ts`,
    find: 'refusal ?? "wallet_outcome_unknown"',
    replace: 'refusal ?? "wallet_failed"',
    test: `${tests}/wallet-requests.test.ts`,
  },
  {
    name: "a wallet is asked to send at a price that is no longer shown",
    file: `${element}/wallet-payment.ts`,
    find: "!signal.aborted && known().offer === offer && offer",
    replace: "!signal.aborted && offer",
    test: `${tests}/wallet-payment.test.ts`,
  },
  {
    name: "a wallet that shows a transfer is asked for another one",
    file: `${element}/wallet-payment.ts`,
    find: 'if (known().wallet?.step === "sending") {',
    replace: 'if (known().wallet?.step === "failed") {',
    test: `${tests}/wallet-payment.test.ts`,
  },
  {
    name: "two elements ask for the same payment",
    file: `${element}/wallet-payment.ts`,
    find: "if (!(await claim(payment.id, signal))) throw requests.walletBusy();",
    replace: "await claim(payment.id, signal);",
    test: `${tests}/wallet-payment.test.ts`,
  },
  {
    name: "two elements ask for the same payment in browsers without locks",
    file: `${element}/tabs.ts`,
    find: "if (claimed.has(paymentId)) return false;",
    replace: "",
    test: `${tests}/wallet-payment.test.ts`,
  },
  {
    name: "a reloaded page forgets what a wallet has sent",
    file: `${element}/tabs.ts`,
    find: "JSON.stringify(all)",
    replace: "JSON.stringify([asked])",
    test: `${tests}/wallet-payment.test.ts`,
  },
  {
    name: "a wallet's request makes the browser forget that another wallet may have paid",
    file: `${element}/tabs.ts`,
    find: "...known.doubted, asked",
    replace: "asked",
    test: `${tests}/wallet-payment.test.ts`,
  },
  {
    name: "the address is still shown after a wallet has sent the payment",
    file: `${element}/state.ts`,
    find: 'sent.length > 0 && payingAgain !== "sure"',
    replace: 'payingAgain === "warned"',
    test: `${tests}/view.test.ts`,
  },
];
