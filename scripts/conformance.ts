// Writes the test vectors in conformance/ for implementations in other languages. Expected results are written by hand
// here, except for signatures, which node:crypto alone computes.

import { createHmac } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

interface Vectors {
  /** Instructions for an implementation. */
  readonly task: string;
  readonly vectors: readonly object[];
}

function signed(name: string, secret: string, timestamp: string, body: string) {
  const hmac = createHmac("sha256", secret).update(`${timestamp}.${body}`);
  return { name, secret, timestamp, body, signature: hmac.digest("hex") };
}

const event = '{"event":"payment.updated","data":{"status":"completed","orderId":"order_1"}}';
const right = signed("", "whsec_1", "1700000000", event);
const flipped = right.signature.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));

/** A signature that must be refused. */
const refused = (name: string, changes: object) => ({ ...right, name, ...changes, valid: false });

const signatures: Vectors = {
  task:
    "The signature is the lower-case hex HMAC-SHA-256 of timestamp, a dot and body, keyed with the secret; all are " +
    "text in UTF-8. Accept it if `valid` is true, and refuse it otherwise. Compare in constant time.",
  vectors: [
    ...[
      signed("a minimal body", "s", "1700000000", '{"a":1}'),
      signed("an event", "whsec_1", "1700000000", event),
      signed("another secret", "whsec_2", "1700000000", event),
      signed("an ISO 8601 timestamp", "whsec_1", "2023-11-14T22:13:20Z", event),
      signed("a timestamp in milliseconds", "whsec_1", "1700000000000", event),
      signed("an empty body", "whsec_1", "1700000000", ""),
      signed("a body with white space", "whsec_1", "1700000000", '{ "a" : 1 }\r\n'),
      signed("a body with non-ASCII text", "whsec_1", "1700000000", '{"orderId":"Grüße 注文 🛒"}'),
      signed("a body with a byte order mark", "whsec_1", "1700000000", '\ufeff{"a":1}'),
      signed("a secret with non-ASCII text", "geheim-ß-🔑", "1700000000", event),
      signed("a secret with a prefix, which is part of it", "whsec_c2VjcmV0", "1700000000", event),
      signed("a secret longer than a block", "k".repeat(131), "1700000000", event),
    ].map((vector) => ({ ...vector, valid: true })),
    { ...right, name: "upper case", signature: right.signature.toUpperCase(), valid: true },
    refused("another body", { body: event.replace("order_1", "order_2") }),
    refused("another timestamp", { timestamp: "1700000001" }),
    refused("a moved dot", { timestamp: "170000000", body: `0.${event}` }),
    refused("a byte order mark added", { body: `\ufeff${event}` }),
    refused("one digit changed", { signature: flipped }),
    refused("a digit missing", { signature: right.signature.slice(0, -1) }),
    refused("a digit too many", { signature: `${right.signature}0` }),
    refused("not hex", { signature: "g".repeat(64) }),
    refused("a prefix", { signature: `sha256=${right.signature}` }),
    refused("digits that are not ASCII", { signature: "\uff10".repeat(64) }),
    refused("no signature", { signature: "" }),
  ],
};

const timestamps: Vectors = {
  task:
    "Parse the timestamp header to milliseconds since 1970 in UTC, and truncate finer digits; null means that it is " +
    "refused. 1 to 11 digits are seconds, optionally with a fraction of up to 9 digits; 12 to 14 digits are " +
    "milliseconds. Anything else must be ISO 8601: date, T, time with seconds, optionally such a fraction, and Z or " +
    "an offset such as +01:00.",
  vectors: [
    ["0", 0],
    ["1700000000", 1_700_000_000_000],
    ["1700000000.5", 1_700_000_000_500],
    ["1700000000.9999", 1_700_000_000_999],
    ["1700000000000", 1_700_000_000_000],
    ["99999999999", 99_999_999_999_000],
    ["100000000000", 100_000_000_000],
    ["2023-11-14T22:13:20Z", 1_700_000_000_000],
    ["2023-11-14T22:13:20.250Z", 1_700_000_000_250],
    ["2023-11-14T22:13:20.999999999Z", 1_700_000_000_999],
    ["2023-11-14T23:13:20+01:00", 1_700_000_000_000],
    ["2023-11-14T18:43:20-03:30", 1_700_000_000_000],
    ["", null],
    ["-1", null],
    ["+1", null],
    [" 1", null],
    ["1e9", null],
    ["0x10", null],
    ["abc", null],
    ["170000000000000", null],
    ["1700000000.", null],
    ["1700000000.0000000001", null],
    ["1700000000000.5", null],
    ["\uff11\uff17\uff10\uff10\uff10\uff10\uff10\uff10\uff10\uff10", null],
    ["2023-11-14", null],
    ["2023-11-14T22:13Z", null],
    ["2023-11-14T22:13:20", null],
    ["2023-11-14 22:13:20Z", null],
    ["2023-11-14T22:13:20z", null],
    ["2023-11-14T22:13:20.0000000000Z", null],
    ["2023-11-14T23:13:20+0100", null],
    ["2023-11-14T23:13:20+24:00", null],
    ["2023-02-30T00:00:00Z", null],
    ["2023-11-14T24:00:00Z", null],
    ["2016-12-31T23:59:60Z", null],
    ["Tue, 14 Nov 2023 22:13:20 GMT", null],
  ].map(([text, milliseconds]) => ({ text, milliseconds })),
};

const units: Vectors = {
  task:
    "Convert `amount` exactly to the smallest units of an asset with `decimals` decimals, and never round; null " +
    "means that the amount is refused. The maximum is that of a token contract, 2^256 - 1. `canonical` is the amount " +
    "formatted from its units.",
  vectors: [
    ["0", 6, "0", "0"],
    ["1", 6, "1000000", "1"],
    ["1.5", 6, "1500000", "1.5"],
    ["1.500000", 6, "1500000", "1.5"],
    ["1.50000000", 6, "1500000", "1.5"],
    ["0.000001", 6, "1", "0.000001"],
    ["25", 0, "25", "25"],
    ["0.1", 18, "100000000000000000", "0.1"],
    [
      "123456789.123456789123456789",
      18,
      "123456789123456789123456789",
      "123456789.123456789123456789",
    ],
    ["9007199254740993", 2, "900719925474099300", "9007199254740993"],
    [String(2n ** 256n - 1n), 0, String(2n ** 256n - 1n), String(2n ** 256n - 1n)],
    [String(2n ** 256n), 0, null],
    ["0.0000001", 6, null],
    ["1.0000001", 6, null],
    ["0.5", 0, null],
    ["", 6, null],
    ["1.", 6, null],
    [".5", 6, null],
    ["-1", 6, null],
    ["+1", 6, null],
    ["1e3", 6, null],
    ["1,5", 6, null],
    ["1_000", 6, null],
    [" 1", 6, null],
    ["01", 6, null],
    ["\uff11", 6, null],
  ].map(([amount, decimals, smallest, canonical]) => {
    return { amount, decimals, units: smallest, ...(canonical !== undefined && { canonical }) };
  }),
};

// The examples of EIP-55, and near misses.
const addresses: Vectors = {
  task:
    "Convert the address to the checksum form of EIP-55; null means that it is refused. All lower case and all upper " +
    "case carry no checksum; mixed case must match it.",
  vectors: [
    ...[
      "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
      "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
      "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
      "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
      "0x52908400098527886E0F7030069857D2E4169EE7",
      "0xde709f2102306220921060314715629080e2fb77",
    ].flatMap((checksum) => [
      { address: checksum, checksum },
      { address: checksum.toLowerCase(), checksum },
      { address: `0x${checksum.slice(2).toUpperCase()}`, checksum },
    ]),
    ...[
      "0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
      "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe",
      "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAedd",
      "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
      "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg",
      "",
    ].map((address) => ({ address, checksum: null })),
  ],
};

const recipient = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const usdc = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";

const paymentUris: Vectors = {
  task: "Format the payment as an EIP-681 URI: of a token if there is a `tokenAddress`, otherwise of the native asset.",
  vectors: [
    {
      address: recipient,
      chainId: 1,
      amountUnits: "1000000000000000000",
      uri: `ethereum:${recipient}@1?value=1000000000000000000`,
    },
    {
      address: recipient.toLowerCase(),
      chainId: 84_532,
      amountUnits: "1",
      uri: `ethereum:${recipient}@84532?value=1`,
    },
    {
      address: recipient,
      chainId: 8453,
      amountUnits: "25000000",
      tokenAddress: usdc,
      uri: `ethereum:${usdc}@8453/transfer?address=${recipient}&uint256=25000000`,
    },
    {
      address: recipient.toLowerCase(),
      chainId: 8453,
      amountUnits: "115792089237316195423570985008687907853269984665640564039457584007913129639935",
      tokenAddress: usdc.toLowerCase(),
      uri:
        `ethereum:${usdc}@8453/transfer?address=${recipient}` +
        "&uint256=115792089237316195423570985008687907853269984665640564039457584007913129639935",
    },
  ],
};

const [yes, no] = [true, false];

const retries: Vectors = {
  task:
    "After a failed attempt, determine the outcome of the call, and whether to repeat it. `replay` is `safe` for " +
    "reads, `keyed` for the creation of a payment, whose key the service honours, and `unsafe` for the creation of a " +
    "withdrawal. `fromService` says whether a status came in a form of the service, not on a proxy's page. `attempt` " +
    "is the number of the attempt that failed. `unknownBefore` says whether an earlier attempt of the call may have " +
    "taken effect.",
  vectors: (
    [
      // failure, attempt, outcome for safe, keyed and unsafe, repeatable for each
      ["no connection", 1, ["not_sent", "not_sent", "not_sent"], [yes, yes, yes]],
      ["TLS failure", 1, ["not_sent", "not_sent", "not_sent"], [no, no, no]],
      ["broken connection", 1, ["unknown", "unknown", "unknown"], [yes, yes, no]],
      ["time-out", 1, ["unknown", "unknown", "unknown"], [yes, yes, no]],
      ["unreadable success", 1, ["unknown", "unknown", "unknown"], [yes, yes, no]],
      [400, 1, ["rejected", "rejected", "rejected"], [no, no, no]],
      [401, 1, ["rejected", "rejected", "rejected"], [no, no, no]],
      [403, 1, ["rejected", "rejected", "rejected"], [no, no, no]],
      [404, 1, ["rejected", "rejected", "rejected"], [no, no, no]],
      [409, 1, ["rejected", "rejected", "rejected"], [no, no, no]],
      [409, 2, ["rejected", "unknown", "unknown"], [no, yes, no]],
      [422, 1, ["rejected", "rejected", "rejected"], [no, no, no]],
      [408, 1, ["unknown", "unknown", "unknown"], [yes, yes, no]],
      [425, 1, ["unknown", "unknown", "unknown"], [yes, yes, no]],
      [429, 1, ["rejected", "rejected", "rejected"], [yes, yes, yes]],
      [499, 1, ["unknown", "unknown", "unknown"], [no, no, no]],
      [500, 1, ["unknown", "unknown", "unknown"], [yes, yes, no]],
      [503, 1, ["unknown", "unknown", "unknown"], [yes, yes, no]],
    ] as const
  ).flatMap(([failure, attempt, outcomes, repeatable]) =>
    (["safe", "keyed", "unsafe"] as const).flatMap((replay, index) => {
      const vector = { failure, attempt, replay, fromService: true, unknownBefore: false };
      const expected = { outcome: outcomes[index], repeat: repeatable[index] };
      const sticky = { ...vector, attempt: 2, unknownBefore: true, repeat: expected.repeat };
      // A conflict in the second attempt has a row of its own.
      const hasSticky = replay !== "safe" && !(failure === 409 && attempt === 1);
      return [
        { ...vector, ...expected },
        // Once an attempt may have taken effect, the call's outcome stays unknown.
        ...(hasSticky ? [{ ...sticky, outcome: "unknown" }] : []),
        ...(failure === 400 || failure === 404
          ? [{ ...vector, fromService: false, outcome: "unknown", repeat: false }]
          : []),
      ];
    }),
  ),
};

/** The text of each file, by file name. */
export const conformanceFiles: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({ signatures, timestamps, units, addresses, paymentUris, retries }).map(
    ([name, vectors]) => {
      const file = `${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.json`;
      return [file, `${JSON.stringify(vectors, null, 2)}\n`];
    },
  ),
);

if (import.meta.main) {
  const folder = join(import.meta.dirname, "../conformance");
  await mkdir(folder, { recursive: true });
  for (const [file, text] of Object.entries(conformanceFiles)) {
    await writeFile(join(folder, file), text);
  }
}
