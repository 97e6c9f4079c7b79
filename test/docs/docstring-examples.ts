import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./code-block.ts";

interface Example {
  readonly place: string;
  readonly code: string;
}

/** The code in the source's docstrings. */
async function examples(): Promise<Example[]> {
  const found: Example[] = [];
  for await (const file of glob("src/**/*.ts", { cwd: root })) {
    const source = await readFile(join(root, file), "utf8");
    for (const match of source.matchAll(/^ *\* ```ts\n(.*?)^ *\* ```$/gms)) {
      const line = source.slice(0, match.index).split("\n").length;
      const code = (match[1] ?? "").replaceAll(/^ *\* ?/gm, "").replaceAll(/^export /gm, "");
      found.push({ place: `${file}:${line}`, code });
    }
  }
  return found;
}

const helpers = `
import {
  findChain, formatUnits, fromCaip2, idempotencyKeyFrom, isAddress, isNativeAsset, isPaid, MerchantClient,
  nativePaymentUri, parseUnits, SettlekitError, toCaip2, toChecksumAddress, tokenPaymentUri,
  toRecipientAddress, usdToCents,
} from "settlekit";
import { isNativeAssetAddress } from "${join(root, "src/evm/chains.ts")}";
import assert from "node:assert/strict";
`;

/** What examples assume: the package's names, and a merchant's own. */
const surroundings = `${helpers}
import { createServer } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Hono } from "hono";
import { setupServer } from "msw/node";
import pg from "pg";
import { CheckoutClient } from "settlekit/checkout";
import { defineCheckoutElement } from "settlekit/checkout/element";
import { createSandbox, type Sandbox } from "settlekit/sandbox";
import { createInbox } from "settlekit/inbox";
import { instrument } from "settlekit/opentelemetry";
import { createPayouts } from "settlekit/payouts";
import { postgres } from "settlekit/postgres";
import { sqlite } from "settlekit/sqlite";
import { sendDeliveries, signedDelivery } from "settlekit/testing";
import { sandboxHandlers } from "settlekit/testing/msw";
import { signWebhook, type Webhook, Webhooks } from "settlekit/webhooks";
import { fastifyWebhooks } from "settlekit/webhooks/fastify";

declare const app: FastifyInstance & Pick<Hono, "request">;
declare const client: MerchantClient;
declare const checkout: CheckoutClient;
declare const sandbox: Sandbox;
declare const webhooks: Webhooks;
declare const webhook: Webhook;
declare const handler: (delivery: unknown) => Promise<unknown>;
declare const element: HTMLElement;
declare const order: { readonly id: string };
declare const paymentId: string, withdrawalId: string, secret: string, contractAddress: string;
declare function show(status: string): void;
declare function markPaid(orderId: string | null | undefined): Promise<void>;
declare function ship(orderId: string | null | undefined): Promise<void>;
`;

/** All examples as one file that type-checks if each of them does. */
export async function docstringExamples(): Promise<string> {
  const functions = (await examples()).map(
    ({ place, code }) => `// ${place}\nasync () => {\n${code}\n};\n`,
  );
  return surroundings + functions.join("\n");
}

/**
 * A program that checks every example that says what a function returns: `usdToCents("25.00"); // 2500`. The value
 * may be on the next line, and may be `throws`.
 */
export async function docstringClaims(): Promise<{ program: string; count: number }> {
  const claim =
    /^(\w+\((?:[^;]*?)\)(?:\?\.\w+)?);(?:\n| )\/\/ ("[^"\n]*"|\d+n?|true|false|throws)(?![\w"])/gm;
  const asserts = (await examples()).flatMap(({ place, code }) =>
    [...code.matchAll(claim)].map(([, call = "", value = ""]) =>
      value === "throws"
        ? `assert.throws(() => ${call}, SettlekitError, "${place}");`
        : `assert.deepEqual(${call}, ${value}, "${place}");`,
    ),
  );
  return { program: helpers + asserts.join("\n"), count: asserts.length };
}
