import * as z from "zod/mini";

/**
 * The part of a validation library that settlekit relies on. Public declarations mention this and
 * never the library.
 */
export interface Schema<T> {
  safeParse(value: unknown): SchemaResult<T>;
}

type SchemaResult<T> =
  | { readonly success: true; readonly data: T }
  | { readonly success: false; readonly error: { readonly issues: readonly SchemaIssue[] } };

export interface SchemaIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/**
 * An object whose unknown fields are kept but not typed: the service may add fields at any time, and
 * a caller may need one before settlekit knows it.
 */
// @__NO_SIDE_EFFECTS__
export function openObject<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodMiniObject<Shape, z.core.$strip> {
  return z.looseObject(shape) as unknown as z.ZodMiniObject<Shape, z.core.$strip>;
}

/**
 * `true` when two types are the same in both directions, so that
 * `true satisfies Same<Quote, z.output<typeof quoteSchema>>` fails to compile when they part.
 */
export type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
