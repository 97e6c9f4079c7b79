import { bash, fish, nu, pwsh, type ShellCompletion, zsh } from "@optique/core/completion";
import { UsageError } from "./exit-codes.ts";

/** The shells that `settlekit completion` supports; PowerShell also under its own name. */
export const shells: Readonly<Record<string, ShellCompletion>> = {
  bash,
  zsh,
  fish,
  powershell: { ...pwsh, name: "powershell" },
  pwsh,
  nu,
};

/**
 * Completes the shell's name after `completion`, which the library does not. False for any other arguments.
 *
 * @throws {UsageError} No shell is named.
 */
export function completeShell(
  args: readonly string[],
  output: { write(text: string): unknown },
): boolean {
  const [command, shell, ...words] = args;
  if (command !== "completion") return false;
  const names = Object.keys(shells);
  if (shell === undefined || shell === "") {
    throw new UsageError(
      `Name a shell: ${names.join(", ")}. For example: settlekit completion bash`,
    );
  }
  const [completed, prefix = "", ...more] = words;
  if (completed !== "completion" || words.length < 2 || more.length > 0) return false;
  const fitting = names.filter((name) => name.startsWith(prefix));
  const suggestions = fitting.map((text) => ({ kind: "literal", text }) as const);
  for (const chunk of shells[shell]?.encodeSuggestions(suggestions) ?? []) output.write(chunk);
  return true;
}
