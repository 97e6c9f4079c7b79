import fc from "fast-check";
import { delivery, signedAt, timestamp } from "./deliveries.ts";

/** An argument for `verify`. */
export interface HostileInput {
  readonly input: unknown;
  /** Whether the signature is valid, so that the delivery may be accepted. */
  readonly isSigned: boolean;
}

/** The default of `maxBodyBytes`. */
export const sizeLimit = 1_048_576;

/** Values of every kind, also those that only code in the same process can pass. */
const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
  withBoxedValues: true,
});

const headerNames = [
  "x-service-signature",
  "X-Service-Timestamp",
  "x-service-id",
  "__proto__",
  "get",
];
const headerText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.stringMatching(/^[0-9a-fA-F]{64}$/),
  fc.integer().map(String),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constant(String(signedAt.getTime())),
);
const anyHeaders = fc.oneof(
  fc.dictionary(
    fc.oneof(fc.constantFrom(...headerNames), fc.string()),
    fc.oneof(headerText, anything),
  ),
  fc.dictionary(fc.constantFrom(...headerNames.slice(0, 2)), headerText).map((entries) => ({
    "x-service-signature": "0".repeat(64),
    "x-service-timestamp": timestamp,
    ...entries,
  })),
  anything,
);
const anyBody = fc.oneof(fc.string({ unit: "binary" }), fc.uint8Array(), fc.json(), anything);

const garbage = fc.oneof(fc.record({ body: anyBody, headers: anyHeaders }), anything);

/** Bodies that are not events, or odd ones. */
const oddBody = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.json().map((text) => Buffer.from(text)),
  fc.string({ unit: "binary" }).map((text) => Buffer.from(text)),
  fc
    .tuple(fc.oneof(fc.string(), fc.constantFrom("__proto__", "*")), fc.jsonValue())
    .map(([event, data]) => Buffer.from(JSON.stringify({ event, data }))),
  fc
    .tuple(fc.constantFrom("payment", "withdrawal", "__proto__"), fc.jsonValue())
    .map(([key, value]) => Buffer.from(`{"type":"a","data":{"${key}":${JSON.stringify(value)}}}`)),
  fc.nat(3000).map((depth) => Buffer.from(`${"[".repeat(depth)}${"]".repeat(depth)}`)),
  fc.nat(3000).map((depth) => Buffer.from(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`)),
);
const timestampText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(timestamp, String(signedAt.getTime())) },
  { weight: 1, arbitrary: headerText },
);

const signed = fc
  .tuple(oddBody, timestampText)
  .map(([body, text]) => delivery({ body, timestampText: text }));

/** A valid delivery with one change. */
const spoiled = fc
  .tuple(oddBody, fc.constantFrom("bit", "digit", "time", "newline", "bom"), fc.nat())
  .map(([body, change, position]) => {
    const right = delivery({ body });
    const headers = { ...right.headers };
    if (change === "digit") {
      const digits = headers["x-service-signature"] ?? "";
      const index = position % 64;
      const digit = digits[index] === "0" ? "1" : "0";
      headers["x-service-signature"] = digits.slice(0, index) + digit + digits.slice(index + 1);
    }
    if (change === "time") headers["x-service-timestamp"] = String(1_700_000_001 + (position % 99));
    if (change === "newline") return { body: Buffer.concat([body, Buffer.from("\n")]), headers };
    if (change === "bom" || body.length === 0) {
      return { body: Buffer.concat([Buffer.from("\uFEFF"), body]), headers };
    }
    const flipped = Buffer.from(body);
    const index = position % body.length;
    if (change === "bit") flipped[index] = (flipped[index] ?? 0) ^ (1 << (position & 7));
    return { body: flipped, headers };
  });

/** A valid delivery after a framework has parsed its body. */
const parsed = fc.object().map((body) => {
  const { headers } = delivery({ body: Buffer.from(JSON.stringify(body) ?? "") });
  return { body, headers };
});

/** The same delivery as another platform represents it. */
const inSomeForm = (given: fc.Arbitrary<{ body: Buffer; headers: Record<string, string> }>) =>
  fc.tuple(given, fc.nat(5)).map(([{ body, headers }, form]) => {
    const bytes = new Uint8Array(body);
    if (form === 1) return { body: bytes, headers };
    if (form === 2) return { body: bytes.buffer, headers: { ...headers, get: "x" } };
    if (form === 3) return { body: body.subarray(), headers: new Map(Object.entries(headers)) };
    return { body, headers };
  });

export const hostileInput: fc.Arbitrary<HostileInput> = fc.oneof(
  { weight: 4, arbitrary: garbage.map((input) => ({ input, isSigned: false })) },
  { weight: 4, arbitrary: inSomeForm(spoiled).map((input) => ({ input, isSigned: false })) },
  { weight: 4, arbitrary: inSomeForm(signed).map((input) => ({ input, isSigned: true })) },
  { weight: 1, arbitrary: parsed.map((input) => ({ input, isSigned: false })) },
);

/** Bodies of about a given size that are designed to be slow. */
export const largeBodies: Readonly<Record<string, (size: number) => string>> = {
  "white space": (size) => "{}".padEnd(size),
  "zero bytes": (size) => "\0".repeat(size),
  "unclosed lists": (size) => "[".repeat(size),
  "unclosed objects": (size) => '{"a":'.repeat(size / 5),
  "nested lists": (size) => event("[".repeat(size / 2 - 14) + "]".repeat(size / 2 - 14)),
  "nested objects": (size) => event(`${'{"a":'.repeat(size / 6.1)}1${"}".repeat(size / 6.1)}`),
  "empty lists": (size) => event(`[${"[],".repeat(size / 3.1)}1]`),
  "empty objects": (size) => event(`[${"{},".repeat(size / 3.1)}1]`),
  "many keys": (size) => event(`{${keys(size / 14)}}`),
  "one key many times": (size) => event(`{${'"a":1,'.repeat(size / 6.1)}"a":1}`),
  "objects of different keys": (size) =>
    event(
      `[${keys(size / 16)
        .replaceAll(",", "},{")
        .replace(/.*/s, "{$&}")}]`,
    ),
  "hostile keys": (size) => event(`[${'{"__proto__":{}},'.repeat(size / 17.1)}1]`),
  "a long number": (size) => event("1".repeat(size - 28)),
  "large exponents": (size) => event(`[${"1e999,".repeat(size / 6.1)}1]`),
  "escaped characters": (size) => event(`"${"\\u0041".repeat(size / 6.1)}"`),
  "four-byte characters": (size) => event(`"${"😀".repeat(size / 4.1)}"`),
  "many strings": (size) => event(`[${'"",'.repeat(size / 3.1)}1]`),
};

function event(data: string): string {
  return `{"event":"a","data":{"x":${data}}}`;
}

function keys(count: number): string {
  return Array.from({ length: Math.floor(count) }, (_, index) => `"k${index}":1`).join(",");
}
