import * as z from "zod/mini";
import { isRecord } from "../../values.ts";

/** A function that an assistant may call. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodMiniObject;
  /** Whether it only reads. */
  readonly isReadOnly: boolean;
  /** @throws {z.core.$ZodError} The arguments do not fit. */
  call(args: unknown): Promise<unknown>;
}

interface ToolDefinition<Shape extends z.core.$ZodShape> {
  readonly name: string;
  readonly description: string;
  readonly input: Shape;
  readonly isReadOnly: boolean;
  run(input: z.output<z.ZodMiniObject<Shape>>): unknown;
}

export function defineTool<Shape extends z.core.$ZodShape>(tool: ToolDefinition<Shape>): Tool {
  const { name, description, isReadOnly, run } = tool;
  const input = z.strictObject(tool.input);
  return {
    name,
    description,
    isReadOnly,
    input: input as unknown as z.ZodMiniObject,
    call: async (args) => run(input.parse(args ?? {})),
  };
}

/** Text as an argument, with what it is for. */
export function described<Schema extends z.ZodMiniType>(schema: Schema, description: string) {
  return schema.check(z.describe(description));
}

export const id = (of: string) => described(z.string().check(z.minLength(1)), `Id of the ${of}.`);

/** Fields that hold a secret, or a URL that contains one. */
const secretFields: ReadonlySet<string> = new Set([
  "secret",
  "paymentUrl",
  "secretKey",
  "webhookSecret",
  "accessToken",
]);

/**
 * A result as JSON for a model. Texts in it come from customers: characters that a person would not see are escaped,
 * so that nothing in them is hidden from whoever looks at the conversation.
 *
 * @param redact Takes credentials out of a text.
 */
export function resultText(result: unknown, redact: (text: string) => string): string {
  const text = JSON.stringify(
    result,
    (name, value: unknown) => {
      if (secretFields.has(name) && !isRecord(value)) return undefined;
      return typeof value === "string" ? redact(value) : value;
    },
    1,
  );
  return text.replace(invisible, (found) =>
    found === "\n"
      ? found
      : Array.from({ length: found.length }, (_, index) => escaped(found.charCodeAt(index))).join(
          "",
        ),
  );
}

/** Control and format characters, separators of lines, and all that is drawn as nothing. */
const invisible = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

function escaped(charCode: number): string {
  return `\\u${charCode.toString(16).padStart(4, "0")}`;
}
