import * as z from "zod/mini";
import { UsageError } from "../exit-codes.ts";

/** A function that an assistant may call. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodMiniType;
  /** Whether it only reads. */
  readonly isReadOnly: boolean;
  /** @throws {UsageError} The arguments do not fit. */
  call(args: unknown): Promise<unknown>;
}

export function defineTool<Shape extends z.core.$ZodShape>({
  run,
  ...tool
}: Omit<Tool, "input" | "call"> & {
  readonly input: Shape;
  run(input: z.output<z.ZodMiniObject<Shape, z.core.$strict>>): unknown;
}): Tool {
  const input = z.strictObject(tool.input);
  return {
    ...tool,
    input,
    async call(args) {
      const read = input.safeParse(args ?? {});
      if (read.success) return run(read.data);
      throw new UsageError(z.prettifyError(read.error));
    },
  };
}

/** A schema with a text that says what its value is for. */
export function described<Schema extends z.ZodMiniType>(schema: Schema, description: string) {
  return schema.check(z.describe(description));
}

export const id = (of: string) => described(z.string().check(z.minLength(1)), `Id of the ${of}.`);
