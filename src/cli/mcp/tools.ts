import type { MerchantClient } from "../../client.ts";
import { SettlekitError } from "../../errors.ts";
import { isRecord } from "../../values.ts";
import { UsageError } from "../exit-codes.ts";
import { clientFrom } from "../options.ts";
import { guideTools } from "./guides.ts";
import { sandboxTools } from "./sandbox-tools.ts";
import { serviceTools } from "./service-tools.ts";
import type { Tool } from "./tool.ts";

/** Sandbox tools are only offered in a sandbox environment. */
export function toolsFor(headerPrefix: string | undefined): readonly Tool[] {
  let client: Promise<MerchantClient> | undefined;
  const service = serviceTools(() => {
    client ??= clientFrom({ headerPrefix });
    return client;
  });
  const isSandbox = process.env.SETTLEKIT_ENVIRONMENT === "sandbox";
  return [...guideTools(), ...service, ...(isSandbox ? sandboxTools() : [])];
}

/** @param redact Removes credentials from a text. */
export async function callTool(
  tools: readonly Tool[],
  { name, arguments: args }: { readonly name: string; readonly arguments?: unknown },
  redact: (text: string) => string,
) {
  const answer = (result: unknown, isError: boolean) => {
    return { content: [{ type: "text" as const, text: resultText(result, redact) }], isError };
  };
  try {
    const tool = tools.find(({ listed }) => listed.name === name);
    if (tool === undefined) throw new UsageError(`There is no tool ${name}.`);
    return answer(await tool.call(args), false);
  } catch (error) {
    const isOurs = SettlekitError.is(error);
    const message = error instanceof Error ? error.message : "Internal error.";
    return answer({ error: isOurs ? error.toJSON() : { message } }, true);
  }
}

/** Fields that hold a secret, or a URL that contains one. */
const secretFields = ["secret", "paymentUrl", "secretKey", "webhookSecret", "accessToken"];

/**
 * A result as JSON for a model. Its texts come from customers, so invisible characters are escaped: they could hide
 * instructions from the user.
 */
function resultText(result: unknown, redact: (text: string) => string): string {
  const shown = (name: string, value: unknown) => {
    if (secretFields.includes(name) && !isRecord(value)) return undefined;
    return typeof value === "string" ? redact(value) : value;
  };
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const text = JSON.stringify(result, shown);
  return text.replace(invisible, (found) => found.split("").map(escaped).join(""));
}

/** Control and format characters, line separators, and everything that is drawn as nothing. */
const invisible = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
