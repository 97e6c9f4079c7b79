import type { Messages } from "../messages.ts";

export const messages: Messages = {
  region: "Pago",
  loading: "Cargando el pago…",
  pending: "Esperando su pago",
  sent: "Pago enviado",
  processing: "Pago detectado",
  paid: "Pagado",
  failed: "El pago falló",
  expired: "El pago expiró",
  cancelled: "El pago fue cancelado",
  refunded: "El pago fue reembolsado",
  partiallyRefunded: "Se reembolsó una parte del pago",
  otherStatus: "Estado del pago: {status}",
  order: "Pedido {order}",
  deposit: "Hacer un depósito",
  fees: "Incluye {fees} en comisiones",
  progress: "Progreso",
  stepWaiting: "En espera",
  stepConfirming: "Confirmando",
  stepPaid: "Pagado",
  depositAmount: "Importe en dólares estadounidenses",
  depositInvalid: "Escriba un importe como {example}, hasta {most}.",
  continue: "Continuar",
  changeAmount: "Cambiar el importe",
  howToPay: "Cómo pagar",
  token: "Token",
  network: "Red",
  qr: "Código QR de la dirección de depósito",
  sendExactly: "Envíe exactamente",
  toAddress: "A esta dirección en {network}",
  onlyOn:
    "Envíe solo {token} en {network}. Cualquier otra cosa puede perderse. Si una plataforma de intercambio descuenta una comisión, súmela al importe.",
  validFor: "Este precio es válido durante {time}",
  priceRenewed: "El precio cambió: si aún no ha pagado, envíe el nuevo importe.",
  priceFailed: "No se pudo cargar el precio ({code}). Elija otro token o inténtelo de nuevo.",
  unpayable: "Aquí no se puede pagar con este token ({code}). Elija otro.",
  tryAgain: "Intentar de nuevo",
  copyAmount: "Copiar el importe",
  copyAddress: "Copiar la dirección",
  copyTransaction: "Copiar el hash de la transacción",
  copy: "Copiar",
  copied: "Copiado",
  copyFailed: "Seleccione y copie manualmente",
  wallets: "O pague con una billetera de este navegador",
  payWith: "Pagar con {wallet}",
  walletConnecting: "Abra {wallet} y elija una cuenta.",
  walletSwitching: "Abra {wallet} y cambie a {network}.",
  walletSending: "Verifique el importe y la dirección en {wallet} y luego confirme.",
  walletSendingLate:
    "El precio expiró. Rechace la solicitud en {wallet} y luego pague con el nuevo precio.",
  walletSendingCancelled:
    "Si {wallet} todavía muestra la solicitud, rechácela para que no se envíe nada más.",
  walletSent: "{wallet} envió el pago. La red suele mostrarlo en menos de un minuto.",
  sentBefore:
    "{wallet} ya envió este pago. Pague de nuevo solo si esa transacción falló: de lo contrario, pagará dos veces.",
  walletRejected: "Usted rechazó la solicitud en {wallet}. No se envió nada.",
  walletBusy: "Todavía hay una solicitud pendiente en una billetera. Respóndala primero.",
  walletUnknownChain:
    "{wallet} no conoce {network}. Agregue esta red en {wallet} y luego inténtelo de nuevo.",
  walletWrongChain:
    "{wallet} no está en {network}. Cambie de red en la billetera y luego inténtelo de nuevo. No se envió nada.",
  walletNoFunds:
    "La cuenta no tiene suficiente {token} en {network}, o no alcanza para la comisión de la red. No se envió nada.",
  walletQuoteExpired:
    "El precio expiró antes de que usted confirmara. No se envió nada. Inténtelo de nuevo con el nuevo precio.",
  walletUnsupported:
    "{wallet} no puede hacerlo. Pague con la dirección o el código QR. No se envió nada.",
  walletFailed: "{wallet} notificó un error. No se envió nada.",
  walletUncertain:
    "No está claro si {wallet} envió el pago. Verifíquelo en la billetera antes de intentarlo de nuevo.",
  cancel: "Cancelar",
  payAnotherWay: "Pagar de otra forma",
  keepWaiting: "Seguir esperando",
  payAgain: "Pagar de nuevo de todos modos",
  confirmations: "{count} de {required} confirmaciones",
  confirming: "La red está confirmando el pago",
  confirmingBar: "Confirmaciones de la red",
  onItsWay: "Su pago está en camino. Puede cerrar esta página; la tienda recibirá un aviso.",
  outcome: "Resultado",
  thanks: "Gracias.",
  arrived: "Se recibieron {received}. Gracias.",
  overpaid:
    "Se recibieron {received}. Gracias. Es más de lo debido; la tienda puede reembolsar la diferencia.",
  underpaid:
    "Se recibieron {received}, pero no es suficiente. No envíe el resto: la tienda ya recibió un aviso y puede ayudarle.",
  failedHelp: "La tienda ya recibió un aviso y puede ayudarle.",
  late: "Se recibieron {received} demasiado tarde. La tienda ya recibió un aviso y puede ayudarle.",
  sentLate:
    "Su transferencia se envió, pero no llegó a tiempo. No pague de nuevo: la tienda recibirá un aviso cuando llegue y podrá ayudarle.",
  expiredHelp:
    "No llegó nada a tiempo. No envíe nada a la dirección de este pago. Si ya envió algo, la tienda recibirá un aviso cuando llegue y podrá ayudarle.",
  cancelledHelp:
    "No envíe nada a la dirección de este pago. Si ya envió algo, la tienda recibirá un aviso cuando llegue y podrá ayudarle.",
  refundedHelp: "Su reembolso está en camino. La tienda puede darle más detalles.",
  received: "Recibido",
  receivedIn: "{amount} en {token} en {network}",
  transaction: "Transacción",
  return: "Volver a la tienda",
  returnIn: "en {seconds} s",
  stay: "Quedarse aquí",
  offline:
    "Sin conexión. Este es el último estado conocido; la página se reconecta automáticamente.",
  notSetUp: "Este pago no se puede mostrar ({code}). La tienda debe corregir su página.",
  notAccessible:
    "Este pago no se puede abrir con este enlace ({code}). Pida uno nuevo a la tienda.",
  notFound: "Este pago no existe ({code}). Pida un nuevo enlace a la tienda.",
  unavailable:
    "El pago no se puede cargar en este momento ({code}). Esta página lo intentará de nuevo automáticamente.",
};
