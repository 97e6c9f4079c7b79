/** What is asked of the sandbox, the same of every server and in process. */
export const paymentsPath = "/v1/external/secretkey-auth/payments";

export const body = JSON.stringify({ amount: 2500, currency: "USD", orderId: "order_1" });

export function headersWith(secretKey: string): Record<string, string> {
  return { "Content-Type": "application/json", "X-Service-Secret-Key": secretKey };
}
