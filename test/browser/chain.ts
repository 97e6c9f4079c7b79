import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { vi } from "vitest";
import { freePort } from "../free-port.ts";
import { tokenCode } from "./token.ts";

/** A real EVM chain on this machine: anvil, whose accounts sign by themselves. */
export class Chain {
  readonly #process: ChildProcess;
  readonly #url: string;

  private constructor(child: ChildProcess, url: string) {
    this.#process = child;
    this.#url = url;
  }

  static async start(chainId: number): Promise<Chain> {
    const port = await freePort();
    const launcher = createRequire(import.meta.url).resolve("@foundry-rs/anvil/bin.mjs");
    const child = spawn(
      process.execPath,
      [launcher, "--port", String(port), "--chain-id", String(chainId)],
      // Its own process group, so that the chain ends together with the launcher.
      { stdio: ["ignore", "pipe", "inherit"], detached: true },
    );
    let output = "";
    await new Promise<void>((resolve, reject) => {
      child.stdout?.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        if (output.includes("Listening on")) resolve();
      });
      child.once("exit", (code) => reject(new Error(`anvil ended with ${code}: ${output}`)));
    });
    return new Chain(child, `http://127.0.0.1:${port}`);
  }

  /** @throws {RpcError} */
  async call(method: string, params: readonly unknown[] = []): Promise<string> {
    const response = await fetch(this.#url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result: string; error?: RpcError };
    if (error) throw Object.assign(new Error(error.message), error);
    return result;
  }

  /** Sends a transaction, and waits until a block includes it. */
  async send(params: readonly unknown[]): Promise<string> {
    const hash = await this.call("eth_sendTransaction", params);
    await vi.waitFor(() => this.receipt(hash));
    return hash;
  }

  /** @throws while no block includes the transaction. */
  async receipt(hash: string): Promise<Readonly<Record<string, string>>> {
    const receipt = await this.call("eth_getTransactionReceipt", [hash]);
    if (receipt === null) throw new Error(`No block has ${hash} yet.`);
    return receipt as unknown as Readonly<Record<string, string>>;
  }

  async accounts(): Promise<string[]> {
    return (await this.call("eth_accounts")) as unknown as string[];
  }

  async nativeBalance(address: string): Promise<bigint> {
    return BigInt(await this.call("eth_getBalance", [address, "latest"]));
  }

  async tokenBalance(token: string, address: string): Promise<bigint> {
    const data = `0x70a08231${word(address)}`;
    return BigInt(await this.call("eth_call", [{ to: token, data }, "latest"]));
  }

  /** Deploys the token, whose supply goes to the deployer, and puts its code where the quotes expect it. */
  async deployToken(deployer: string, address: string, supply: bigint): Promise<void> {
    const creation = tokenCode(supply);
    const hash = await this.send([{ from: deployer, data: creation }]);
    const { contractAddress = "" } = await this.receipt(hash);
    const code = await this.call("eth_getCode", [contractAddress, "latest"]);
    await this.call("anvil_setCode", [address, code]);
    const balance = await this.tokenBalance(contractAddress, deployer);
    const slot = `0x${word(deployer)}`;
    await this.call("anvil_setStorageAt", [address, slot, `0x${word(balance.toString(16))}`]);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    process.kill(-(this.#process.pid ?? 0));
    await ended;
  }
}

interface RpcError {
  readonly code: number;
  readonly message: string;
}

function word(hexadecimal: string): string {
  return hexadecimal.replace(/^0x/, "").toLowerCase().padStart(64, "0");
}
