/** The settings of a paying process. */
export interface ProcessSettings {
  /** A PostgreSQL URL, or the path of an SQLite file. */
  readonly database: string;
  readonly serviceUrl: string;
  readonly secretKey: string;
  readonly quietMs: number;
  readonly limits: { readonly approveAbove?: number; readonly perRecipientAndDay?: number };
  readonly orders: number;
  /** When the first order is due, and the interval to each next one. */
  readonly startedAt: number;
  readonly everyMs: number;
  /** How far its clock is off. */
  readonly skewMs: number;
}

const limited = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359";

/** Every fifth order is for a recipient with a limit, and every third one needs an approval. */
export function orderOf(index: number) {
  return {
    orderId: `order_${index}`,
    amountInCents: index % 3 === 0 ? 2_000 : 1_000,
    chainId: 84_532,
    recipientAddress: index % 5 === 0 ? limited : `0x${(index + 1).toString(16).padStart(40, "0")}`,
  };
}
