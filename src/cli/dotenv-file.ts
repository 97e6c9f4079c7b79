import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { appendFile, stat, truncate, writeFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { ask, canAsk } from "./confirm.ts";
import { UsageError } from "./exit-codes.ts";
import type { Terminal } from "./terminal.ts";

/**
 * The text of a file, without the byte order mark that some editors write.
 *
 * @throws {UsageError} It cannot be read, or is not in UTF-8: writing it back would destroy it.
 */
export function readText(path: string, ifMissing?: string, name = path): string {
  try {
    const content = readFileSync(path);
    if (isUtf8(content)) return new TextDecoder().decode(content);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && ifMissing !== undefined) return ifMissing;
    throw new UsageError(`${name} cannot be read: ${message}`);
  }
  throw new UsageError(`${name} is not in UTF-8. Save it as UTF-8; PowerShell may write UTF-16.`);
}

/** Adds the file's variables to the environment. From then on, credentials among them are never printed. */
export function loadVariables(dotenv: unknown, { conceal }: Terminal): void {
  const text = typeof dotenv === "string" ? readText(dotenv, undefined, `--dotenv ${dotenv}`) : "";
  for (const [name, value] of Object.entries(parseEnv(text))) process.env[name] ??= value;
  for (const [name, value = ""] of Object.entries(process.env)) {
    // By prefix as well: a key may be in the wrong variable.
    const isCredential = /(?:KEY|SECRET|TOKEN)$/.test(name) || /^(?:sk|ps|whsec|at)_/.test(value);
    if (name.startsWith("SETTLEKIT_") && isCredential) conceal(value);
  }
}

/**
 * Writes variables to a file, and keeps the rest of its content. A variable with a different value is only replaced
 * after asking; without a terminal, it is kept.
 *
 * @throws {UsageError} The file cannot be read or written.
 */
export async function writeVariables(
  path: string,
  variables: Readonly<Record<string, string>>,
  { say, warn }: Terminal,
): Promise<void> {
  const before = readText(path, "");
  const known = parseEnv(before);
  const lineEnd = before.includes("\r\n") ? "\r\n" : "\n";
  let text = before;
  for (const [name, value] of Object.entries(variables)) {
    const line = `${name}=${value}`;
    if (known[name] === value) continue;
    if (known[name] === undefined) {
      text += (text === "" || text.endsWith("\n") ? "" : lineEnd) + line + lineEnd;
      continue;
    }
    const fact = `${name} has a different value in ${path}`;
    if (!canAsk()) {
      warn(`${fact}, which was kept. Remove it there to write the new one.`);
      continue;
    }
    const answer = await ask(`${fact}. Replace it? (y/N) `, `${path} was left unchanged.`);
    if (!/^y(es)?$/i.test(answer)) continue;
    // As `parseEnv` reads them: the last one counts, and a quoted value may have several lines.
    const assignment = `^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=[ \\t]*(?:(["'\`])[^]*?\\1)?.*$`;
    text = text.replace(new RegExp(assignment, "gm"), () => line);
  }
  if (text === before) {
    const isCurrent = Object.entries(variables).every(([name, value]) => known[name] === value);
    return say(`${path} ${isCurrent ? "is up to date" : "was left unchanged"}.`);
  }
  await overwrite(path, Buffer.from(text)).catch((error: Error) => {
    throw new UsageError(`${path} cannot be written: ${error.message}`);
  });
  say(`Wrote ${path}.`);
}

/** Overwrites a file in place, because it may be a link or a mount. Takes the space first: a full disk loses nothing. */
async function overwrite(path: string, bytes: Buffer): Promise<void> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  // Readable only by its owner: it holds keys.
  await appendFile(path, "\n".repeat(Math.max(bytes.length - size, 0)), { mode: 0o600 });
  await writeFile(path, bytes, { flag: "r+" });
  if (bytes.length < size) await truncate(path, bytes.length);
}
