import type { Messages } from "../messages.ts";

export const messages: Messages = {
  region: "Paiement",
  loading: "Chargement du paiement…",
  pending: "En attente de votre paiement",
  sent: "Paiement envoyé",
  processing: "Paiement détecté",
  paid: "Payé",
  failed: "Le paiement a échoué",
  expired: "Le paiement a expiré",
  cancelled: "Le paiement a été annulé",
  refunded: "Le paiement a été remboursé",
  partiallyRefunded: "Une partie du paiement a été remboursée",
  otherStatus: "État du paiement : {status}",
  order: "Commande {order}",
  deposit: "Faire un dépôt",
  fees: "Dont {fees} de frais",
  progress: "Progression",
  stepWaiting: "En attente",
  stepConfirming: "Confirmation",
  stepPaid: "Payé",
  depositAmount: "Montant en dollars américains",
  depositInvalid: "Saisissez un montant tel que {example}, au maximum {most}.",
  continue: "Continuer",
  changeAmount: "Modifier le montant",
  howToPay: "Comment payer",
  token: "Jeton",
  network: "Réseau",
  qr: "Code QR de l’adresse de dépôt",
  sendExactly: "Envoyez exactement",
  toAddress: "À cette adresse sur {network}",
  onlyOn:
    "Envoyez uniquement des {token} sur {network}. Tout autre envoi peut être perdu. Si une plateforme d’échange déduit des frais, ajoutez-les au montant.",
  validFor: "Ce prix est valable pendant {time}",
  priceRenewed: "Le prix a changé : si vous n’avez pas encore payé, envoyez le nouveau montant.",
  priceFailed: "Le prix n’a pas pu être chargé ({code}). Choisissez un autre jeton ou réessayez.",
  unpayable: "Vous ne pouvez pas payer avec ce jeton ici ({code}). Choisissez-en un autre.",
  tryAgain: "Réessayer",
  copyAmount: "Copier le montant",
  copyAddress: "Copier l’adresse",
  copyTransaction: "Copier le hash de la transaction",
  copy: "Copier",
  copied: "Copié",
  copyFailed: "Sélectionnez et copiez manuellement",
  wallets: "Ou payez avec un portefeuille de ce navigateur",
  payWith: "Payer avec {wallet}",
  walletConnecting: "Ouvrez {wallet} et choisissez un compte.",
  walletSwitching: "Ouvrez {wallet} et passez sur {network}.",
  walletSending: "Vérifiez le montant et l’adresse dans {wallet}, puis confirmez.",
  walletSendingLate:
    "Le prix a expiré. Refusez la demande dans {wallet}, puis payez au nouveau prix.",
  walletSendingCancelled:
    "Si {wallet} affiche encore la demande, refusez-la, pour que rien d’autre ne soit envoyé.",
  walletSent:
    "{wallet} a envoyé le paiement. Le réseau l’affiche en général en moins d’une minute.",
  sentBefore:
    "{wallet} a déjà envoyé ce paiement. Ne payez à nouveau que si cette transaction a échoué : sinon, vous paierez deux fois.",
  walletRejected: "Vous avez refusé la demande dans {wallet}. Rien n’a été envoyé.",
  walletBusy: "Une demande est encore en attente dans un portefeuille. Répondez-y d’abord.",
  walletUnknownChain:
    "{wallet} ne connaît pas {network}. Ajoutez ce réseau dans {wallet}, puis réessayez.",
  walletWrongChain:
    "{wallet} n’est pas connecté à {network}. Changez de réseau dans le portefeuille, puis réessayez. Rien n’a été envoyé.",
  walletNoFunds:
    "Le compte n’a pas assez de {token} sur {network}, ou pas assez pour les frais de réseau. Rien n’a été envoyé.",
  walletQuoteExpired:
    "Le prix a expiré avant votre confirmation. Rien n’a été envoyé. Réessayez avec le nouveau prix.",
  walletUnsupported:
    "{wallet} ne le permet pas. Payez plutôt avec l’adresse ou le code QR. Rien n’a été envoyé.",
  walletFailed: "{wallet} a signalé une erreur. Rien n’a été envoyé.",
  walletUncertain:
    "Il n’est pas certain que {wallet} ait envoyé le paiement. Vérifiez dans le portefeuille avant de réessayer.",
  cancel: "Annuler",
  payAnotherWay: "Payer autrement",
  keepWaiting: "Continuer à attendre",
  payAgain: "Payer à nouveau quand même",
  confirmations: "Confirmations : {count} sur {required}",
  confirming: "Le réseau confirme le paiement",
  confirmingBar: "Confirmations du réseau",
  onItsWay:
    "Votre paiement est en route. Vous pouvez fermer cette page ; la boutique sera prévenue.",
  outcome: "Résultat",
  thanks: "Merci.",
  arrived: "{received} reçus. Merci.",
  overpaid:
    "{received} reçus. Merci. C’est plus que le montant dû ; la boutique peut rembourser la différence.",
  underpaid:
    "{received} reçus, ce qui ne suffit pas. N’envoyez pas le reste : la boutique a été prévenue et peut vous aider.",
  failedHelp: "La boutique a été prévenue et peut vous aider.",
  late: "{received} reçus trop tard. La boutique a été prévenue et peut vous aider.",
  sentLate:
    "Votre transfert a été envoyé, mais n’est pas arrivé à temps. Ne payez pas une seconde fois : la boutique sera prévenue de son arrivée et pourra vous aider.",
  expiredHelp:
    "Rien n’est arrivé à temps. N’envoyez rien à l’adresse de ce paiement. Si vous avez déjà envoyé quelque chose, la boutique sera prévenue de son arrivée et pourra vous aider.",
  cancelledHelp:
    "N’envoyez rien à l’adresse de ce paiement. Si vous avez déjà envoyé quelque chose, la boutique sera prévenue de son arrivée et pourra vous aider.",
  refundedHelp: "Votre remboursement est en cours. La boutique peut vous en dire plus.",
  received: "Reçu",
  receivedIn: "{amount} en {token} sur {network}",
  transaction: "Transaction",
  return: "Retour à la boutique",
  returnIn: "dans {seconds} s",
  stay: "Rester ici",
  offline: "Pas de connexion. Voici le dernier état connu ; la page se reconnecte automatiquement.",
  notSetUp: "Ce paiement ne peut pas être affiché ({code}). La boutique doit corriger sa page.",
  notAccessible:
    "Ce lien ne permet pas d’ouvrir ce paiement ({code}). Demandez-en un nouveau à la boutique.",
  notFound: "Ce paiement n’existe pas ({code}). Demandez un nouveau lien à la boutique.",
  unavailable:
    "Le paiement ne peut pas être chargé pour le moment ({code}). Cette page réessaiera automatiquement.",
};
