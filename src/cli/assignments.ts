import { isRecord, parsedJson, show } from "../values.ts";
import { UsageError } from "./exit-codes.ts";

/** One `--set` option. */
interface Assignment {
  readonly path: readonly string[];
  readonly value: unknown;
}

/**
 * Reads `amountInCents=2500` or `receipt.txHash=0xab`. A JSON value is read as JSON, anything else as text.
 *
 * @throws {UsageError} The text is not an assignment.
 */
export function assignmentFrom(input: string): Assignment {
  const [, names = "", value = ""] = /^([^=]+)=(.*)$/s.exec(input) ?? [];
  const path = names.split(".");
  if (path.includes("")) {
    throw new UsageError(
      `Expected a path, = and a value, such as amountInCents=2500; got ${show(input)}.`,
    );
  }
  // They reach prototypes, which objects share.
  const banned = path.find((name) => /^(?:__proto__|constructor|prototype)$/.test(name));
  if (banned !== undefined) throw new UsageError(`${show(banned)} cannot be set.`);
  const json = parsedJson(value);
  return { path, value: json === undefined ? value : json };
}

/** @throws {UsageError} The path leads through something that is not an object. */
export function assign(target: Record<string, unknown>, { path, value }: Assignment): void {
  let object = target;
  for (const name of path.slice(0, -1)) {
    // Inherited members are shared with every other object, so only own members count.
    const next = Object.hasOwn(object, name) ? object[name] : {};
    if (!isRecord(next)) {
      throw new UsageError(
        `--set ${path.join(".")}: ${show(name)} is not an object, so it has no fields.`,
      );
    }
    object[name] = next;
    object = next;
  }
  object[path.at(-1) ?? ""] = value;
}
