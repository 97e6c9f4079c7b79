/** A command and its arguments as one line for cmd.exe, each word as it was given. */
export function windowsLine(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@+=:,./\\-]+$/.test(word) ? word : `"${word.replaceAll('"', '\\"')}"`))
    .join(" ");
}
