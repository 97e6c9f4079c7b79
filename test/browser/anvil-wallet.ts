import type { Chain } from "./chain.ts";

interface Call {
  readonly method: string;
  readonly params?: readonly Record<string, unknown>[];
}

export type Answer = (call: Call) => unknown;

const failure = (message: string, code: number) => Object.assign(new Error(message), { code });

const rejection = () => failure("User rejected the request.", 4001);

/** The answer of a customer who rejects what the wallet shows. */
export const rejected: Answer = () => {
  throw rejection();
};

/** A wallet that signs with an account of the chain, and shows no dialog. */
export class AnvilWallet {
  /** The requests that it received. */
  readonly calls: Call[] = [];
  /** Answers that replace its usual ones in a test. */
  answers: Record<string, Answer> = {};
  /** The chain that it is on, and those that it knows. */
  current: number;
  readonly known: Set<number>;
  readonly #usual: Record<string, Answer>;

  constructor(chain: Chain, chainId: number, account: string) {
    this.current = chainId;
    this.known = new Set([1, chainId]);
    this.#usual = {
      eth_requestAccounts: () => [account],
      eth_chainId: () => `0x${this.current.toString(16)}`,
      wallet_switchEthereumChain: ({ params: [target] = [] }) => {
        const wanted = Number(target?.chainId);
        if (!this.known.has(wanted)) throw failure("Unrecognized chain", 4902);
        this.current = wanted;
        return null;
      },
      wallet_addEthereumChain: ({ params: [target] = [] }) =>
        void this.known.add(Number(target?.chainId)),
      eth_sendTransaction: async ({ params }) => {
        // Like other wallets, refuses a transfer that would revert.
        await chain.call("eth_estimateGas", params);
        return chain.send(params ?? []);
      },
    };
  }

  /** Shows each transfer from now on, until the customer rejects it or the page revokes its permissions. */
  showTransfers({ canWithdraw }: { readonly canWithdraw: boolean }): { reject(): void } {
    const confirming = Promise.withResolvers<string>();
    const reject = () => confirming.reject(rejection());
    this.answers = {
      eth_sendTransaction: () => confirming.promise,
      wallet_revokePermissions: () => {
        if (!canWithdraw) throw failure("Unknown method", -32_601);
        reject();
        return null;
      },
    };
    return { reject };
  }

  sent(): Call[] {
    return this.calls.filter(({ method }) => method === "eth_sendTransaction");
  }

  /** The provider's response, in a form that can be passed to the page. */
  async answer(call: Call) {
    this.calls.push(call);
    try {
      return { result: await (this.answers[call.method] ?? this.#usual[call.method])?.(call) };
    } catch (error) {
      const { code, message } = error as Error & { code: number };
      return { error: { code, message } };
    }
  }
}
