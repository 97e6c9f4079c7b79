import type { Messages } from "../messages.ts";

export const messages: Messages = {
  region: "Pagamento",
  loading: "Caricamento del pagamento…",
  pending: "In attesa del pagamento",
  sent: "Pagamento inviato",
  processing: "Pagamento rilevato",
  paid: "Pagato",
  failed: "Il pagamento non è riuscito",
  expired: "Il pagamento è scaduto",
  cancelled: "Il pagamento è stato annullato",
  refunded: "Il pagamento è stato rimborsato",
  partiallyRefunded: "Parte del pagamento è stata rimborsata",
  otherStatus: "Stato del pagamento: {status}",
  order: "Ordine {order}",
  deposit: "Effettua un deposito",
  fees: "Comprende {fees} di commissioni",
  progress: "Avanzamento",
  stepWaiting: "In attesa",
  stepConfirming: "Conferma",
  stepPaid: "Pagato",
  depositAmount: "Importo in dollari statunitensi",
  depositInvalid: "Inserisca un importo come {example}, fino a {most}.",
  continue: "Continua",
  changeAmount: "Cambia l’importo",
  howToPay: "Come pagare",
  token: "Token",
  network: "Rete",
  qr: "Codice QR dell’indirizzo di deposito",
  sendExactly: "Invii esattamente",
  toAddress: "A questo indirizzo su {network}",
  onlyOn:
    "Invii solo {token} su {network}. Tutto il resto può andare perso. Se un exchange trattiene una commissione, la aggiunga all’importo.",
  validFor: "Questo prezzo è valido per {time}",
  priceRenewed: "Il prezzo è cambiato: se non ha ancora pagato, invii il nuovo importo.",
  priceFailed:
    "Non è stato possibile caricare il prezzo ({code}). Scelga un altro token o riprovi.",
  unpayable: "Qui non si può pagare con questo token ({code}). Ne scelga un altro.",
  tryAgain: "Riprova",
  copyAmount: "Copia l’importo",
  copyAddress: "Copia l’indirizzo",
  copyTransaction: "Copia l’hash della transazione",
  copy: "Copia",
  copied: "Copiato",
  copyFailed: "Selezioni e copi manualmente",
  wallets: "Oppure paghi con un wallet in questo browser",
  payWith: "Paga con {wallet}",
  walletConnecting: "Apra {wallet} e scelga un account.",
  walletSwitching: "Apra {wallet} e passi a {network}.",
  walletSending: "Controlli importo e indirizzo in {wallet}, poi confermi.",
  walletSendingLate:
    "Il prezzo è scaduto. Rifiuti la richiesta in {wallet}, poi paghi con il nuovo prezzo.",
  walletSendingCancelled:
    "Se {wallet} mostra ancora la richiesta, la rifiuti, in modo che non venga inviato altro.",
  walletSent: "{wallet} ha inviato il pagamento. Di solito la rete lo mostra entro un minuto.",
  sentBefore:
    "{wallet} ha già inviato questo pagamento. Paghi di nuovo solo se quella transazione non è riuscita: altrimenti pagherà due volte.",
  walletRejected: "Ha rifiutato la richiesta in {wallet}. Non è stato inviato nulla.",
  walletBusy: "Una richiesta è ancora in sospeso in un wallet. Risponda prima a quella.",
  walletUnknownChain:
    "{wallet} non conosce {network}. Aggiunga questa rete in {wallet}, poi riprovi.",
  walletWrongChain:
    "{wallet} non è su {network}. Cambi rete nel wallet, poi riprovi. Non è stato inviato nulla.",
  walletNoFunds:
    "L’account non ha abbastanza {token} su {network}, o non abbastanza per la commissione di rete. Non è stato inviato nulla.",
  walletQuoteExpired:
    "Il prezzo è scaduto prima della conferma. Non è stato inviato nulla. Riprovi con il nuovo prezzo.",
  walletUnsupported:
    "{wallet} non può farlo. Paghi con l’indirizzo o il codice QR. Non è stato inviato nulla.",
  walletFailed: "{wallet} ha segnalato un errore. Non è stato inviato nulla.",
  walletUncertain:
    "Non è chiaro se {wallet} abbia inviato il pagamento. Controlli nel wallet prima di riprovare.",
  cancel: "Annulla",
  payAnotherWay: "Paga in un altro modo",
  keepWaiting: "Continua ad attendere",
  payAgain: "Paga comunque di nuovo",
  confirmations: "Conferme: {count} su {required}",
  confirming: "La rete sta confermando il pagamento",
  confirmingBar: "Conferme della rete",
  onItsWay: "Il suo pagamento è in arrivo. Può chiudere questa pagina; il negozio sarà avvisato.",
  outcome: "Esito",
  thanks: "Grazie.",
  arrived: "Sono arrivati {received}. Grazie.",
  overpaid:
    "Sono arrivati {received}. Grazie. È più del dovuto; il negozio può rimborsare la differenza.",
  underpaid:
    "Sono arrivati {received}, ma non bastano. Non invii il resto: il negozio è stato avvisato e può aiutarla.",
  failedHelp: "Il negozio è stato avvisato e può aiutarla.",
  late: "Sono arrivati {received} troppo tardi. Il negozio è stato avvisato e può aiutarla.",
  sentLate:
    "Il suo trasferimento è stato inviato, ma non è arrivato in tempo. Non paghi di nuovo: il negozio sarà avvisato quando arriverà e potrà aiutarla.",
  expiredHelp:
    "Non è arrivato nulla in tempo. Non invii nulla all’indirizzo di questo pagamento. Se ha già inviato qualcosa, il negozio sarà avvisato quando arriverà e potrà aiutarla.",
  cancelledHelp:
    "Non invii nulla all’indirizzo di questo pagamento. Se ha già inviato qualcosa, il negozio sarà avvisato quando arriverà e potrà aiutarla.",
  refundedHelp: "Il suo rimborso è in arrivo. Il negozio può dirle di più.",
  received: "Ricevuto",
  receivedIn: "{amount} in {token} su {network}",
  transaction: "Transazione",
  return: "Torna al negozio",
  returnIn: "tra {seconds} s",
  stay: "Resta qui",
  offline:
    "Nessuna connessione. Questo è l’ultimo stato noto; la pagina si riconnette automaticamente.",
  notSetUp:
    "Questo pagamento non può essere mostrato ({code}). Il negozio deve correggere la sua pagina.",
  notAccessible:
    "Questo pagamento non si può aprire con questo link ({code}). Ne chieda uno nuovo al negozio.",
  notFound: "Questo pagamento non esiste ({code}). Chieda un nuovo link al negozio.",
  unavailable:
    "Al momento il pagamento non può essere caricato ({code}). Questa pagina riproverà automaticamente.",
};
