/** Does not compile unless the types are the same. */
export type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

export function sameType<_Proof extends true>(): void {}
