/** Every text of the element in English, with placeholders in braces. A language that lacks a text does not compile. */
export const english = {
  region: "Payment",
  loading: "Loading the payment…",
  pending: "Waiting for your payment",
  sent: "Payment sent",
  processing: "Payment detected",
  paid: "Paid",
  failed: "The payment failed",
  expired: "The payment has expired",
  cancelled: "The payment was cancelled",
  refunded: "The payment was refunded",
  partiallyRefunded: "Part of the payment was refunded",
  otherStatus: "The payment is {status}",

  order: "Order {order}",
  deposit: "Make a deposit",
  fees: "Includes {fees} in fees",
  progress: "Progress",
  stepWaiting: "Waiting",
  stepConfirming: "Confirming",
  stepPaid: "Paid",

  depositAmount: "Amount in US dollars",
  depositInvalid: "Enter an amount such as {example}, up to {most}.",
  continue: "Continue",
  changeAmount: "Change the amount",

  howToPay: "How to pay",
  token: "Token",
  network: "Network",
  qr: "QR code of the deposit address",
  sendExactly: "Send exactly",
  toAddress: "To this address on {network}",
  onlyOn:
    "Send only {token} on {network}. Anything else may be lost. If an exchange deducts a fee, add it to the amount.",
  validFor: "This price is valid for {time}",
  priceRenewed: "The price has changed: if you have not paid yet, send the new amount.",
  priceFailed: "The price could not be loaded ({code}). Choose another token, or try again.",
  unpayable: "You cannot pay with this token here ({code}). Choose another token.",
  tryAgain: "Try again",

  copyAmount: "Copy the amount",
  copyAddress: "Copy the address",
  copyTransaction: "Copy the transaction hash",
  copy: "Copy",
  copied: "Copied",
  copyFailed: "Select and copy it by hand",

  wallets: "Or pay with a wallet in this browser",
  payWith: "Pay with {wallet}",
  walletConnecting: "Open {wallet} and choose an account.",
  walletSwitching: "Open {wallet} and switch to {network}.",
  walletSending: "Check the amount and the address in {wallet}, then confirm.",
  walletSendingLate:
    "The price has expired. Reject the request in {wallet}, then pay the new price.",
  walletSendingCancelled:
    "Reject the request in {wallet} if it is still open, so that nothing is sent.",
  walletSent: "{wallet} has sent the payment. The network usually shows it within a minute.",
  sentBefore:
    "{wallet} has already sent this payment. Pay again only if that transaction failed: otherwise you pay twice.",
  walletRejected: "You rejected the request in {wallet}. Nothing was sent.",
  walletBusy: "A wallet request is still pending. Respond to it first.",
  walletUnknownChain:
    "{wallet} does not know {network}. Add this network in {wallet}, then try again.",
  walletWrongChain:
    "{wallet} is not on {network}. Switch networks, then try again. Nothing was sent.",
  walletNoFunds:
    "The account does not hold enough {token} on {network}, or not enough for the network fee. Nothing was sent.",
  walletQuoteExpired:
    "The price expired before you confirmed. Nothing was sent. Try again with the new price.",
  walletUnsupported:
    "{wallet} cannot do this. Pay by address or QR code instead. Nothing was sent.",
  walletFailed: "{wallet} reported an error. Nothing was sent.",
  walletUncertain:
    "It is unclear whether {wallet} sent the payment. Check in the wallet before you try again.",
  cancel: "Cancel",
  payAnotherWay: "Pay another way",
  keepWaiting: "Keep waiting",
  payAgain: "Pay again anyway",

  confirmations: "{count} of {required} confirmations",
  confirming: "The network is confirming the payment",
  confirmingBar: "Network confirmations",
  onItsWay: "Your payment is on its way. You can close this page; the shop will be notified.",

  outcome: "Outcome",
  thanks: "Thank you.",
  arrived: "{received} arrived. Thank you.",
  overpaid:
    "{received} arrived. Thank you. That is more than was due; the shop can refund the difference.",
  underpaid:
    "{received} arrived, which is not enough. Do not send the rest: the shop has been notified and can help.",
  failedHelp: "The shop has been notified and can help.",
  late: "{received} arrived too late. The shop has been notified and can help.",
  sentLate:
    "Your transfer was sent, but did not arrive in time. Do not pay again: the shop will be notified when it arrives and can help.",
  expiredHelp:
    "Nothing arrived in time. Do not send anything to this payment's address. If you already have, the shop will be notified when it arrives and can help.",
  cancelledHelp:
    "Do not send anything to this payment's address. If you already have, the shop will be notified when it arrives and can help.",
  refundedHelp: "Your refund is on its way. The shop can tell you more.",
  received: "Received",
  receivedIn: "{amount} in {token} on {network}",
  transaction: "Transaction",
  return: "Return to the shop",
  returnIn: "in {seconds} s",
  stay: "Stay here",

  offline: "No connection. This is the last known status; the page reconnects automatically.",
  notSetUp: "This payment cannot be shown ({code}). The shop needs to fix its page.",
  notAccessible:
    "This payment cannot be opened with this link ({code}). Ask the shop for a new link.",
  notFound: "This payment does not exist ({code}). Ask the shop for a new link.",
  unavailable:
    "The payment cannot be loaded at the moment ({code}). The page tries again automatically.",
} as const;

/** The name of a text. */
export type MessageName = keyof typeof english;

/** Every text of the element in one language, with the placeholders of the English ones. */
export type Messages = { readonly [Name in MessageName]: string };
