import type { Messages } from "../messages.ts";

export const messages: Messages = {
  region: "Zahlung",
  loading: "Die Zahlung wird geladen …",
  pending: "Wir warten auf Ihre Zahlung",
  sent: "Zahlung gesendet",
  processing: "Ihre Zahlung wurde erkannt",
  paid: "Bezahlt",
  failed: "Die Zahlung ist fehlgeschlagen",
  expired: "Die Zahlung ist abgelaufen",
  cancelled: "Die Zahlung wurde abgebrochen",
  refunded: "Die Zahlung wurde erstattet",
  partiallyRefunded: "Ein Teil der Zahlung wurde erstattet",
  otherStatus: "Status der Zahlung: {status}",
  order: "Bestellung {order}",
  deposit: "Einzahlen",
  fees: "Inklusive {fees} Gebühren",
  progress: "Fortschritt",
  stepWaiting: "Ausstehend",
  stepConfirming: "Bestätigung",
  stepPaid: "Bezahlt",
  depositAmount: "Betrag in US-Dollar",
  depositInvalid: "Geben Sie einen Betrag wie {example} ein, höchstens {most}.",
  continue: "Weiter",
  changeAmount: "Betrag ändern",
  howToPay: "So bezahlen Sie",
  token: "Token",
  network: "Netzwerk",
  qr: "QR-Code der Einzahlungsadresse",
  sendExactly: "Senden Sie genau",
  toAddress: "An diese Adresse auf {network}",
  onlyOn:
    "Senden Sie nur {token} auf {network}. Alles andere kann verloren gehen. Wenn eine Börse eine Gebühr abzieht, rechnen Sie sie zum Betrag hinzu.",
  validFor: "Dieser Preis gilt noch {time}",
  priceRenewed:
    "Der Preis hat sich geändert: Falls Sie noch nicht bezahlt haben, senden Sie den neuen Betrag.",
  priceFailed:
    "Der Preis konnte nicht geladen werden ({code}). Wählen Sie einen anderen Token oder versuchen Sie es noch einmal.",
  unpayable: "Mit diesem Token können Sie hier nicht bezahlen ({code}). Wählen Sie einen anderen.",
  tryAgain: "Noch einmal versuchen",
  copyAmount: "Betrag kopieren",
  copyAddress: "Adresse kopieren",
  copyTransaction: "Transaktions-Hash kopieren",
  copy: "Kopieren",
  copied: "Kopiert",
  copyFailed: "Bitte markieren und von Hand kopieren",
  wallets: "Oder bezahlen Sie mit einer Wallet in diesem Browser",
  payWith: "Mit {wallet} bezahlen",
  walletConnecting: "Öffnen Sie {wallet} und wählen Sie ein Konto.",
  walletSwitching: "Öffnen Sie {wallet} und wechseln Sie zu {network}.",
  walletSending: "Prüfen Sie Betrag und Adresse in {wallet} und bestätigen Sie dann.",
  walletSendingLate:
    "Der Preis ist abgelaufen. Lehnen Sie die Anfrage in {wallet} ab und zahlen Sie dann zum neuen Preis.",
  walletSendingCancelled:
    "Falls {wallet} die Anfrage noch zeigt, lehnen Sie sie dort ab, damit nichts mehr gesendet wird.",
  walletSent:
    "{wallet} hat die Zahlung gesendet. Das Netzwerk zeigt sie meist innerhalb einer Minute an.",
  sentBefore:
    "{wallet} hat diese Zahlung bereits gesendet. Zahlen Sie nur dann erneut, wenn diese Transaktion fehlgeschlagen ist: Sonst zahlen Sie doppelt.",
  walletRejected: "Sie haben die Anfrage in {wallet} abgelehnt. Es wurde nichts gesendet.",
  walletBusy: "Eine Wallet-Anfrage ist noch offen. Beantworten Sie zuerst diese.",
  walletUnknownChain:
    "{wallet} kennt {network} nicht. Fügen Sie dieses Netzwerk in {wallet} hinzu und versuchen Sie es dann noch einmal.",
  walletWrongChain:
    "{wallet} ist nicht mit {network} verbunden. Wechseln Sie in der Wallet das Netzwerk und versuchen Sie es dann noch einmal. Es wurde nichts gesendet.",
  walletNoFunds:
    "Das Konto hat auf {network} nicht genug {token} oder nicht genug für die Netzwerkgebühr. Es wurde nichts gesendet.",
  walletQuoteExpired:
    "Der Preis ist abgelaufen, bevor Sie bestätigt haben. Es wurde nichts gesendet. Versuchen Sie es mit dem neuen Preis noch einmal.",
  walletUnsupported:
    "{wallet} kann das nicht. Bezahlen Sie stattdessen per Adresse oder QR-Code. Es wurde nichts gesendet.",
  walletFailed: "{wallet} hat einen Fehler gemeldet. Es wurde nichts gesendet.",
  walletUncertain:
    "Es ist unklar, ob {wallet} die Zahlung gesendet hat. Sehen Sie in der Wallet nach, bevor Sie es noch einmal versuchen.",
  cancel: "Abbrechen",
  payAnotherWay: "Anders bezahlen",
  keepWaiting: "Weiter warten",
  payAgain: "Trotzdem erneut zahlen",
  confirmations: "{count} von {required} Bestätigungen",
  confirming: "Das Netzwerk bestätigt die Zahlung",
  confirmingBar: "Bestätigungen des Netzwerks",
  onItsWay:
    "Ihre Zahlung ist unterwegs. Sie können diese Seite schließen; der Shop wird benachrichtigt.",
  outcome: "Ergebnis",
  thanks: "Vielen Dank.",
  arrived: "{received} sind angekommen. Vielen Dank.",
  overpaid:
    "{received} sind angekommen. Vielen Dank. Das ist mehr, als fällig war; der Shop kann die Differenz erstatten.",
  underpaid:
    "{received} sind angekommen. Das reicht nicht. Senden Sie den Rest nicht nach: Der Shop wurde benachrichtigt und kann Ihnen helfen.",
  failedHelp: "Der Shop wurde benachrichtigt und kann Ihnen helfen.",
  late: "{received} sind zu spät angekommen. Der Shop wurde benachrichtigt und kann Ihnen helfen.",
  sentLate:
    "Ihre Transaktion wurde gesendet, ist aber nicht rechtzeitig angekommen. Zahlen Sie nicht noch einmal: Der Shop wird benachrichtigt, sobald sie ankommt, und kann Ihnen helfen.",
  expiredHelp:
    "Es ist rechtzeitig nichts angekommen. Senden Sie nichts an die Adresse dieser Zahlung. Falls Sie schon etwas gesendet haben, wird der Shop benachrichtigt, sobald es ankommt, und kann Ihnen helfen.",
  cancelledHelp:
    "Senden Sie nichts an die Adresse dieser Zahlung. Falls Sie schon etwas gesendet haben, wird der Shop benachrichtigt, sobald es ankommt, und kann Ihnen helfen.",
  refundedHelp: "Ihre Erstattung ist unterwegs. Der Shop kann Ihnen mehr dazu sagen.",
  received: "Erhalten",
  receivedIn: "{amount} in {token} auf {network}",
  transaction: "Transaktion",
  return: "Zurück zum Shop",
  returnIn: "in {seconds} s",
  stay: "Hierbleiben",
  offline:
    "Keine Verbindung. Sie sehen den letzten bekannten Stand; diese Seite verbindet sich von selbst wieder.",
  notSetUp:
    "Diese Zahlung kann nicht angezeigt werden ({code}). Der Shop muss seine Seite korrigieren.",
  notAccessible:
    "Diese Zahlung lässt sich mit diesem Link nicht öffnen ({code}). Bitten Sie den Shop um einen neuen.",
  notFound: "Diese Zahlung gibt es nicht ({code}). Bitten Sie den Shop um einen neuen Link.",
  unavailable:
    "Die Zahlung kann gerade nicht geladen werden ({code}). Diese Seite versucht es von selbst noch einmal.",
};
