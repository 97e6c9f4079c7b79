import type { Sandbox } from "../../../src/sandbox/index.ts";
import { clientOf } from "../sandbox-client.ts";

/** A payout as a merchant requests it. */
export const payout = {
  orderId: "payout_1",
  amountInCents: 12_500,
  chainId: 84532,
  recipientAddress: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
};

/** The withdrawals in the sandbox. */
export async function existing(sandbox: Sandbox) {
  return (await clientOf(sandbox).withdrawals.list()).data;
}

/** A fetch that calls the sandbox, and then loses or changes some responses to creations. */
export function losing(
  sandbox: Sandbox,
  lose: (request: Request, answer: Response) => Response | Promise<Response>,
) {
  return async (url: string, init: RequestInit) => {
    const request = new Request(url, init);
    const answer = await sandbox.fetch(request.clone());
    return request.method === "POST" ? lose(request, answer) : answer;
  };
}
