import { UsageError } from "./usage-error.ts";

/**
 * The option of every command that reads SETTLEKIT_* variables. Not --env-file: Node looks for that one
 * among a script's own arguments too.
 */
export const dotenvOption = {
  dotenv: {
    value: "<path>",
    description: "Read variables from this file, unless they are set already.",
  },
} as const;

/** @throws {UsageError} The file cannot be read. */
export function loadDotenv(path: string | undefined): void {
  if (path === undefined) return;
  try {
    process.loadEnvFile(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--dotenv cannot be read: ${reason}`);
  }
}
