import { describe, expect, it } from "vitest";
import type { WebhookHeaders } from "../../src/webhooks/index.ts";
import { delivery, receiver, refusal } from "./deliveries.ts";

const { body, headers } = delivery();
const signature = headers["x-service-signature"] ?? "";
const timestamp = headers["x-service-timestamp"] ?? "";

const refused = (given: WebhookHeaders) => refusal(receiver(), { body, headers: given });

describe("headers", () => {
  it.each<[string, WebhookHeaders]>([
    ["from Headers", new Headers(headers)],
    ["from an object in lower case", headers],
    [
      "in the interface document's case",
      { "X-Service-Signature": signature, "X-Service-Timestamp": timestamp },
    ],
    ["in upper case", { "X-SERVICE-SIGNATURE": signature, "X-SERVICE-TIMESTAMP": timestamp }],
    ["from an object without a prototype", Object.assign(Object.create(null), headers)],
    [
      "from lists of one value",
      { "x-service-signature": [signature], "x-service-timestamp": [timestamp] },
    ],
    ["from a Map in lower case", new Map(Object.entries(headers)) as unknown as Headers],
    [
      "among unrelated ones",
      { ...headers, host: "a", "x-servicexsignature": "b", "x-service-": "c" },
    ],
    ["beside a header called get", { ...headers, get: "x" }],
  ])("are read %s", (_, given) => {
    expect(refused(given)).toBeUndefined();
  });

  it("are read with another prefix if the service has one", () => {
    const webhooks = receiver({ headerPrefix: "X-Pay" });
    const renamed = { "x-pay-signature": signature, "X-Pay-Timestamp": timestamp };
    expect(refusal(webhooks, { body, headers: renamed })).toBeUndefined();
    expect(refusal(webhooks, { body, headers })).toBe("missing_signature");
  });
});

describe("a header given twice", () => {
  const twice = (name: string, values: string[]): WebhookHeaders => ({
    ...headers,
    [name]: values,
  });

  it("is malformed as a list", () => {
    expect(refused(twice("x-service-signature", [signature, signature]))).toBe(
      "malformed_signature",
    );
    expect(refused(twice("x-service-timestamp", [timestamp, timestamp]))).toBe(
      "malformed_timestamp",
    );
  });

  it("is malformed as platforms join it", () => {
    const joined = new Headers(headers);
    joined.append("X-Service-Signature", signature);
    expect(refused(joined)).toBe("malformed_signature");
    expect(refused({ ...headers, "x-service-timestamp": `${timestamp}, ${timestamp}` })).toBe(
      "malformed_timestamp",
    );
  });

  it("is malformed as two properties that differ in case", () => {
    expect(refused({ ...headers, "X-Service-Signature": signature })).toBe("malformed_signature");
    expect(refused({ ...headers, "X-Service-Timestamp": timestamp })).toBe("malformed_timestamp");
  });
});

describe("missing headers", () => {
  it.each([undefined, null, {}, [], "x-service-signature", 1, new Headers()])(
    "are reported for %j",
    (given) => {
      expect(refused(given as unknown as WebhookHeaders)).toBe("missing_signature");
    },
  );

  it("are not read from a prototype", () => {
    expect(refused(Object.create(headers))).toBe("missing_signature");
  });

  it.each([1, true, {}, null, [1], [{}]])("are not replaced by values such as %j", (value) => {
    const odd = { ...headers, "x-service-signature": value } as unknown as WebhookHeaders;
    expect(refused(odd)).toBe("missing_signature");
  });

  it("are named in the message, with the cure", () => {
    expect(() => receiver().verifySync({ body, headers: {} })).toThrow(
      "The header x-service-signature is missing. Check headerPrefix, any proxies, and that verify was passed { body, headers }.",
    );
  });
});

describe("malformed headers", () => {
  it.each([
    ["x-service-signature", "sha256=abc", "64 hex digits, and has 10 characters."],
    [
      "x-service-timestamp",
      "yesterday",
      "Unix seconds, Unix milliseconds or ISO 8601 with a time zone, and has 9 characters.",
    ],
  ])("say what %s must be, without quoting it", (name, value, expected) => {
    const verify = () => receiver().verifySync({ body, headers: { ...headers, [name]: value } });
    expect(verify).toThrow(`The header ${name} must be ${expected}`);
    expect(verify).not.toThrow(value);
  });
});

describe("hints", () => {
  const hints = (given: WebhookHeaders) => receiver().verifySync({ body, headers: given }).hints;

  it("are the unsigned identifiers that were sent", () => {
    expect(hints(headers)).toEqual({});
    const sent = {
      "X-Service-Id": "we_1",
      "X-Service-Event-Id": "evt_1",
      "X-Service-Delivery-Id": "del_1",
    };
    const expected = { endpointId: "we_1", eventId: "evt_1", deliveryId: "del_1" };
    expect(hints({ ...headers, ...sent })).toEqual(expected);
    expect(hints(new Headers({ ...headers, ...sent }))).toEqual(expected);
    expect(hints({ ...headers, "x-service-event-id": "evt_2" })).toEqual({ eventId: "evt_2" });
  });

  it("do not influence whether a delivery is accepted", () => {
    expect(hints({ ...headers, "x-service-id": ["a", "b"], "x-service-event-id": "" })).toEqual({
      endpointId: "a, b",
    });
  });
});
