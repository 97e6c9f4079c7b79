/**
 * Every text of the element in English. Names in braces are filled in. A language that lacks a text does not
 * compile.
 */
export const english = {
  region: "Payment",
  loading: "Loading the payment…",
  pending: "Waiting for your payment",
  sent: "Payment sent",
  processing: "Your payment has been seen",
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
  onlyOn: "Send only {token} on {network}. Anything else may be lost.",
  validFor: "This price is valid for {time}",
  priceRenewed: "The price was renewed. The amount may have changed.",
  priceFailed: "No price could be loaded ({code}). Choose another token, or try again.",
  unpayable: "This token cannot be paid here ({code}). Choose another one.",
  noChoice: "There is no token to pay with. The shop can help you.",
  tryAgain: "Try again",

  copyAmount: "Copy the amount",
  copyAddress: "Copy the address",
  copyTransaction: "Copy the transaction hash",
  copy: "Copy",
  copied: "Copied",
  copyFailed: "Select and copy it by hand",

  wallets: "Or pay from a wallet in this browser",
  payWith: "Pay with {wallet}",
  walletConnecting: "Open {wallet} and choose an account.",
  walletSwitching: "Open {wallet} and switch to {network}.",
  walletSending: "Check the amount and the address in {wallet}, then confirm.",
  walletSendingLate:
    "The price has expired. Reject the request in {wallet}, then pay with the new price.",
  walletSendingCancelled:
    "Cancelled. Reject the request in {wallet} as well, so that nothing is sent.",
  walletSent: "{wallet} has sent the payment. The network usually shows it within a minute.",
  sentBefore:
    "{wallet} has already sent this payment. Pay again only if that transaction failed: otherwise you pay twice.",
  walletRejected: "You rejected the request in {wallet}. Nothing was sent.",
  walletBusy: "{wallet} already has an open request. Open it and respond to that request first.",
  walletUnknownChain:
    "{wallet} does not know {network}. Add this network in {wallet}, then try again.",
  walletWrongChain:
    "{wallet} is not on {network}. Switch the network there, then try again. Nothing was sent.",
  walletNoFunds:
    "The account does not hold enough {token} on {network}, or not enough for the network fee. Nothing was sent.",
  walletQuoteExpired:
    "The price expired before you confirmed. Nothing was sent. Try again with the new price.",
  walletUnsupported:
    "{wallet} cannot do this. Pay by address or QR code instead. Nothing was sent.",
  walletFailed: "{wallet} reported an error. Nothing was sent.",
  walletUncertain:
    "{wallet} reported an error. Check in the wallet whether the payment was sent before you try again.",
  cancel: "Cancel",
  payAnotherWay: "Pay another way",
  keepWaiting: "Keep waiting",
  payAgain: "Pay again anyway",

  confirmations: "{count} of {required} confirmations",
  confirming: "Being confirmed by the network",
  confirmingBar: "Network confirmations",
  onItsWay: "Your money is on its way. You can close this page; the shop is notified either way.",

  outcome: "Outcome",
  thanks: "Thank you.",
  arrived: "{received} arrived. Thank you.",
  overpaid:
    "{received} arrived. Thank you. That is more than was due; the shop can return the difference.",
  underpaid: "{received} arrived, which is not enough. The shop knows, and can help you.",
  failedHelp: "The shop knows, and can help you.",
  late: "{received} arrived too late. The shop knows, and can help you.",
  sentLate:
    "Your transfer was sent, but has not arrived in time. Do not pay again: the shop is notified when it arrives, and can help you.",
  expiredHelp: "Nothing arrived in time. Do not send anything to this address.",
  cancelledHelp: "Do not send anything to this address.",
  refundedHelp: "The money is on its way back to you. The shop can tell you more.",
  received: "Received",
  receivedIn: "{amount} in {token} on {network}",
  transaction: "Transaction",
  return: "Return to the shop",
  returnIn: "in {seconds} s",
  stay: "Stay here",

  offline:
    "No connection. The payment is shown as it was last read; this page reconnects by itself.",
  notSetUp:
    "This payment cannot be shown ({code}). The shop has to correct its page; nothing was charged.",
  notAccessible:
    "This payment cannot be opened with this link ({code}). Ask the shop for a new one.",
  notFound: "There is no such payment ({code}). Ask the shop for a new link.",
  unavailable:
    "The payment cannot be loaded at the moment ({code}). This page tries again by itself.",
} as const;

/** The name of a text. */
export type MessageName = keyof typeof english;

/** Every text of the element in one language, with the placeholders of the English ones. */
export type Messages = { readonly [Name in MessageName]: string };
