import * as z from "zod/mini";
import { UsageError } from "../exit-codes.ts";

/** A function that an assistant may call. */
export type Tool = ReturnType<typeof defineTool>;

export function defineTool<Shape extends z.core.$ZodShape>(tool: {
  readonly name: string;
  readonly description: string;
  /** Whether it only reads. By default, it may change a sandbox. */
  readonly isReadOnly?: boolean;
  readonly input: Shape;
  run(input: z.output<z.ZodMiniObject<Shape, z.core.$strict>>): unknown;
}) {
  const { name, description, isReadOnly = false, run } = tool;
  const input = z.strictObject(tool.input);
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: "input" });
  return {
    /** The tool in the form of the protocol. */
    listed: {
      name,
      description,
      inputSchema: { ...inputSchema, type: "object" as const },
      annotations: { readOnlyHint: isReadOnly, destructiveHint: false, openWorldHint: false },
    },
    /** @throws {UsageError} The arguments are invalid. */
    async call(args: unknown): Promise<unknown> {
      const read = input.safeParse(args ?? {});
      if (read.success) return run(read.data);
      throw new UsageError(z.prettifyError(read.error));
    },
  };
}

export function described<Schema extends z.ZodMiniType>(schema: Schema, description: string) {
  return schema.check(z.describe(description));
}

export const id = (of: string) => described(z.string().check(z.minLength(1)), `Id of the ${of}.`);
