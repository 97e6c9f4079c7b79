/** Dollars with up to two decimals, as the forms let them pass, in cents. */
export function centsOf(dollars: string): number {
  const [whole = "", fraction = ""] = dollars.trim().split(".");
  return Number(whole) * 100 + Number(fraction.padEnd(2, "0"));
}
