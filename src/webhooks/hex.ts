const notHex = -1;

/** Reads exactly 64 hex digits of either case as 32 bytes; undefined for any other text. */
export function parseSha256Hex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length !== 64) return undefined;
  const bytes = new Uint8Array(32);
  for (let index = 0; index < 32; index++) {
    const high = digitValue(text.charCodeAt(2 * index));
    const low = digitValue(text.charCodeAt(2 * index + 1));
    if (high === notHex || low === notHex) return undefined;
    bytes[index] = (high << 4) | low;
  }
  return bytes;
}

function digitValue(charCode: number): number {
  if (charCode >= 48 && charCode <= 57) return charCode - 48;
  const lowerCase = charCode | 0x20;
  return lowerCase >= 97 && lowerCase <= 102 ? lowerCase - 87 : notHex;
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
