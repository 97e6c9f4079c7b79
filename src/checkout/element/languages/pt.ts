import type { Messages } from "../messages.ts";

/** As `pt` alone is understood, by `Intl` too: the Portuguese of Brazil. */
export const messages: Messages = {
  region: "Pagamento",
  loading: "Carregando o pagamento…",
  pending: "Aguardando seu pagamento",
  sent: "Pagamento enviado",
  processing: "Pagamento detectado",
  paid: "Pago",
  failed: "O pagamento falhou",
  expired: "O pagamento expirou",
  cancelled: "O pagamento foi cancelado",
  refunded: "O pagamento foi reembolsado",
  partiallyRefunded: "Parte do pagamento foi reembolsada",
  otherStatus: "Status do pagamento: {status}",
  order: "Pedido {order}",
  deposit: "Fazer um depósito",
  fees: "Inclui {fees} em taxas",
  progress: "Progresso",
  stepWaiting: "Aguardando",
  stepConfirming: "Confirmando",
  stepPaid: "Pago",
  depositAmount: "Valor em dólares americanos",
  depositInvalid: "Digite um valor como {example}, até {most}.",
  continue: "Continuar",
  changeAmount: "Alterar o valor",
  howToPay: "Como pagar",
  token: "Token",
  network: "Rede",
  qr: "Código QR do endereço de depósito",
  sendExactly: "Envie exatamente",
  toAddress: "Para este endereço na rede {network}",
  onlyOn:
    "Envie apenas {token} na rede {network}. Qualquer outra coisa pode se perder. Se uma corretora descontar uma taxa, some-a ao valor.",
  validFor: "Este preço é válido por {time}",
  priceRenewed: "O preço mudou: se ainda não pagou, envie o novo valor.",
  priceFailed:
    "Não foi possível carregar o preço ({code}). Escolha outro token ou tente novamente.",
  unpayable: "Não é possível pagar aqui com este token ({code}). Escolha outro.",
  tryAgain: "Tentar novamente",
  copyAmount: "Copiar o valor",
  copyAddress: "Copiar o endereço",
  copyTransaction: "Copiar o hash da transação",
  copy: "Copiar",
  copied: "Copiado",
  copyFailed: "Selecione e copie manualmente",
  wallets: "Ou pague com uma carteira neste navegador",
  payWith: "Pagar com {wallet}",
  walletConnecting: "Abra {wallet} e escolha uma conta.",
  walletSwitching: "Abra {wallet} e mude para {network}.",
  walletSending: "Confira o valor e o endereço em {wallet} e depois confirme.",
  walletSendingLate: "O preço expirou. Recuse a solicitação em {wallet} e pague com o novo preço.",
  walletSendingCancelled:
    "Cancelado. Recuse também a solicitação em {wallet} para que nada seja enviado.",
  walletSent: "{wallet} enviou o pagamento. A rede costuma mostrá-lo em menos de um minuto.",
  sentBefore:
    "{wallet} já enviou este pagamento. Pague novamente apenas se essa transação tiver falhado: caso contrário, você pagará duas vezes.",
  walletRejected: "Você recusou a solicitação em {wallet}. Nada foi enviado.",
  walletBusy: "Ainda há uma solicitação pendente em uma carteira. Responda a ela primeiro.",
  walletUnknownChain:
    "{wallet} não conhece {network}. Adicione esta rede em {wallet} e tente novamente.",
  walletWrongChain:
    "{wallet} não está em {network}. Troque de rede na carteira e tente novamente. Nada foi enviado.",
  walletNoFunds:
    "A conta não tem {token} suficiente em {network}, ou falta saldo para a taxa da rede. Nada foi enviado.",
  walletQuoteExpired:
    "O preço expirou antes da sua confirmação. Nada foi enviado. Tente novamente com o novo preço.",
  walletUnsupported:
    "{wallet} não permite isso. Pague pelo endereço ou pelo código QR. Nada foi enviado.",
  walletFailed: "{wallet} informou um erro. Nada foi enviado.",
  walletUncertain:
    "Não está claro se {wallet} enviou o pagamento. Confira na carteira antes de tentar novamente.",
  cancel: "Cancelar",
  payAnotherWay: "Pagar de outra forma",
  keepWaiting: "Continuar aguardando",
  payAgain: "Pagar novamente mesmo assim",
  confirmations: "{count} de {required} confirmações",
  confirming: "A rede está confirmando o pagamento",
  confirmingBar: "Confirmações da rede",
  onItsWay: "Seu pagamento está a caminho. Você pode fechar esta página; a loja será avisada.",
  outcome: "Resultado",
  thanks: "Agradecemos.",
  arrived: "Recebemos {received}. Agradecemos.",
  overpaid:
    "Recebemos {received}. Agradecemos. É mais do que o devido; a loja pode devolver a diferença.",
  underpaid:
    "Recebemos {received}, mas não é suficiente. Não envie o restante: a loja foi avisada e pode ajudar você.",
  failedHelp: "A loja foi avisada e pode ajudar você.",
  late: "Recebemos {received} tarde demais. A loja foi avisada e pode ajudar você.",
  sentLate:
    "Sua transferência foi enviada, mas não chegou a tempo. Não pague novamente: a loja será avisada quando ela chegar e poderá ajudar você.",
  expiredHelp:
    "Nada chegou a tempo. Não envie nada para o endereço deste pagamento. Se você já enviou algo, a loja será avisada quando chegar e poderá ajudar você.",
  cancelledHelp:
    "Não envie nada para o endereço deste pagamento. Se você já enviou algo, a loja será avisada quando chegar e poderá ajudar você.",
  refundedHelp: "Seu reembolso está a caminho. A loja pode dar mais informações.",
  received: "Recebido",
  receivedIn: "{amount} em {token} na rede {network}",
  transaction: "Transação",
  return: "Voltar à loja",
  returnIn: "em {seconds} s",
  stay: "Ficar aqui",
  offline: "Sem conexão. Este é o último status conhecido; a página se reconecta automaticamente.",
  notSetUp:
    "Não é possível mostrar este pagamento ({code}). A loja precisa corrigir a página; nada foi cobrado.",
  notAccessible: "Este link não abre este pagamento ({code}). Peça um novo à loja.",
  notFound: "Este pagamento não existe ({code}). Peça um novo link à loja.",
  unavailable:
    "Não é possível carregar o pagamento no momento ({code}). Uma nova tentativa será feita automaticamente.",
};
