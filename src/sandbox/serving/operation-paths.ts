import type { Operation } from "../../wire/operations.ts";

/** The values of a path's placeholders, decoded. */
export type PathValues = Readonly<Record<string, string | undefined>>;

interface Found<Item> {
  readonly item: Item;
  readonly path: PathValues;
}

/** Finds what serves a request. */
interface OperationPaths<Item> {
  /** The first item whose operation has this method and path. */
  find(method: string, pathname: string): Found<Item> | undefined;
  /** The operation whose path it would be with another method. */
  withOtherMethod(pathname: string): Operation<unknown> | undefined;
}

interface Known<Item> {
  readonly item: Item;
  readonly operation: Operation<unknown>;
  readonly segments: readonly Segment[];
}

type Segment = { readonly text: string } | { readonly placeholder: string };

/** Items by their operations' paths. Of two that fit, the first one counts. */
export function operationPaths<Item extends { readonly operation: Operation<unknown> }>(
  items: readonly Item[],
): OperationPaths<Item> {
  const known = items.map((item): Known<Item> => {
    const { operation } = item;
    return { item, operation, segments: operation.path.split("/").map(segmentOf) };
  });

  return {
    find(method, pathname) {
      const parts = pathname.split("/");
      for (const { item, operation, segments } of known) {
        if (operation.method !== method) continue;
        const path = valuesIn(parts, segments);
        if (path !== undefined) return { item, path };
      }
      return undefined;
    },
    withOtherMethod(pathname) {
      const parts = pathname.split("/");
      return known.find(({ segments }) => valuesIn(parts, segments) !== undefined)?.operation;
    },
  };
}

function segmentOf(text: string): Segment {
  return text.startsWith("{") ? { placeholder: text.slice(1, -1) } : { text };
}

/** `undefined` where the path is another one. No placeholder stands for nothing. */
function valuesIn(parts: readonly string[], segments: readonly Segment[]): PathValues | undefined {
  if (parts.length !== segments.length) return undefined;
  const values: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const part = parts[index] ?? "";
    if ("text" in segment) {
      if (part !== segment.text) return undefined;
    } else {
      if (part === "") return undefined;
      values[segment.placeholder] = decoded(part);
    }
  }
  return values;
}

/** What cannot be decoded is nobody's id. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
