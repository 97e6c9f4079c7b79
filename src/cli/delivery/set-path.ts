import { UsageError } from "../arguments/usage-error.ts";

type JsonObject = Record<string, unknown>;

/** Names that lead out of an object, to what all objects share. */
const forbidden: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Sets what `path=value` says, such as `amountInCents=2500` or `receipt.txHash=0xab`. A value that is
 * JSON is taken as such, anything else as text.
 *
 * @throws {UsageError} The text says nothing, or its path leads through what is no object.
 */
export function setPath(target: JsonObject, text: string): void {
  const [, path = "", value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  const names = path.split(".");
  if (path === "" || names.includes("")) {
    throw new UsageError(
      `--set must be a path, = and a value, such as amountInCents=2500; got ${JSON.stringify(text)}.`,
    );
  }
  const banned = names.find((name) => forbidden.has(name));
  if (banned !== undefined) throw new UsageError(`--set cannot set ${JSON.stringify(banned)}.`);
  const last = names.pop() ?? "";
  let object = target;
  for (const name of names) {
    // Only what was set counts: an inherited member is shared with every other object.
    const next = Object.hasOwn(object, name) ? object[name] : {};
    if (typeof next !== "object" || next === null || Array.isArray(next)) {
      throw new UsageError(
        `--set ${text}: ${JSON.stringify(name)} is no object, so nothing is in it.`,
      );
    }
    object[name] = next;
    object = next as JsonObject;
  }
  object[last] = jsonOrText(value);
}

function jsonOrText(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
