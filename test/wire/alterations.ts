import fc from "fast-check";

/** Replacements for a field's value; `undefined` leaves the field out. */
export const oddValue = fc.constantFrom<unknown>(
  undefined,
  null,
  true,
  "",
  "text",
  "eip155:8453",
  "eip155:0",
  "x".repeat(300),
  -1,
  1.5,
  Number.POSITIVE_INFINITY,
  8453,
  [],
  {},
  [null],
  { length: 0 },
);

export type Place = readonly string[];

/** Every field and item within a value. */
export function placesIn(value: unknown, place: Place = []): Place[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const inner = [...place, name];
    return [inner, ...placesIn(field, inner)];
  });
}

/** Replaces the value at a place. */
export function alter(root: object, place: Place, value: unknown): void {
  const name = place.at(-1) ?? "";
  const owner = place
    .slice(0, -1)
    .reduce((at, step) => at[step] as Record<string, unknown>, root as Record<string, unknown>);
  if (value === undefined && !Array.isArray(owner)) delete owner[name];
  else owner[name] = value ?? null;
}
