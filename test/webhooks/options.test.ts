import { afterEach, describe, expect, it, vi } from "vitest";
import { MerchantClient } from "../../src/client.ts";
import { signedDelivery } from "../../src/testing/index.ts";
import {
  ConfigurationError,
  signWebhook,
  Webhooks,
  type WebhooksOptions,
} from "../../src/webhooks/index.ts";
import { delivery, paymentUpdated, receiver, refusal, secret } from "./deliveries.ts";

const expectedPrefix = "letters, digits and inner hyphens, such as X-Service";

describe("an option with an invalid value", () => {
  it.each([
    ["toleranceSeconds", -1, "0 or more"],
    ["toleranceSeconds", Number.NaN, "0 or more"],
    ["toleranceSeconds", "300", "0 or more"],
    ["toleranceSeconds", null, "0 or more"],
    ["maxBodyBytes", 0, "a whole number above 0"],
    ["maxBodyBytes", -1, "a whole number above 0"],
    ["maxBodyBytes", 1.5, "a whole number above 0"],
    ["maxBodyBytes", Number.POSITIVE_INFINITY, "a whole number above 0"],
    ["maxBodyBytes", "1mb", "a whole number above 0"],
    ["bodyTimeoutMs", 0, "a whole number above 0 and below 2^31"],
    ["bodyTimeoutMs", 2 ** 31, "a whole number above 0 and below 2^31"],
    ["bodyTimeoutMs", "10s", "a whole number above 0 and below 2^31"],
    ["headerPrefix", "", expectedPrefix],
    ["headerPrefix", "X Service", expectedPrefix],
    ["headerPrefix", "X-Sérvice", expectedPrefix],
    ["headerPrefix", "X-Service\n", expectedPrefix],
    ["headerPrefix", "X-Service-", expectedPrefix],
    ["headerPrefix", "X_Service", expectedPrefix],
    ["headerPrefix", "X".repeat(101), expectedPrefix],
    ["headerPrefix", 1, expectedPrefix],
    ["now", new Date(), "a function that returns a valid Date"],
    ["logger", {}, "an object with warn and error"],
    ["logger", null, "an object with warn and error"],
    ["logger", () => undefined, "an object with warn and error"],
    ["onError", "log", "a function"],
  ])("is refused at construction: %s of %j", (param, value, expected) => {
    const construct = () => receiver({ [param]: value } as WebhooksOptions);
    expect(construct).toThrow(ConfigurationError);
    const message = `The option ${param} must be ${expected}.`;
    expect(construct).toThrow(expect.objectContaining({ message, param, code: "invalid_option" }));
  });

  it("counts as left out if it is undefined", () => {
    const webhooks = receiver({
      toleranceSeconds: undefined,
      headerPrefix: undefined,
      maxBodyBytes: undefined,
      logger: undefined,
      onError: undefined,
    });
    expect(refusal(webhooks, delivery())).toBeUndefined();
  });
});

describe("an option that does not exist", () => {
  it.each([
    ["secrets", "Did you mean secret?"],
    ["tolerance", "Did you mean toleranceSeconds?"],
    ["bodyTimeout", "Did you mean bodyTimeoutMs?"],
    ["HeaderPrefix", "Did you mean headerPrefix?"],
    [
      "constructor",
      "The options are: secret, toleranceSeconds, headerPrefix, maxBodyBytes, bodyTimeoutMs, now, logger, onError.",
    ],
  ])("is refused: %s. %s", (param, cure) => {
    const construct = () => receiver({ [param]: "whsec_in_the_wrong_place" } as WebhooksOptions);
    const message = `There is no option "${param}". ${cure}`;
    expect(construct).toThrow(ConfigurationError);
    expect(construct).toThrow(expect.objectContaining({ message, param, code: "unknown_option" }));
  });

  it("is refused by signWebhook, too", () => {
    const options = { body: "{}", secret: "s", time: 1 };
    expect(() => signWebhook(options)).toThrow(
      'There is no option "time". Did you mean timestamp?',
    );
  });

  it.each(["whsec_t0p", ["whsec_t0p"], null, 1])(
    "is refused, as is %j in place of the options",
    (given) => {
      const construct = () => new Webhooks(given as WebhooksOptions);
      expect(construct).toThrow("The options must be an object, such as { secret }.");
      expect(construct).not.toThrow(/whsec/);
    },
  );
});

describe("the header prefix", () => {
  afterEach(() => vi.unstubAllEnvs());
  const { body, headers } = signWebhook({ event: paymentUpdated, secret, headerPrefix: "X-Pay" });
  const now = () => new Date();

  it("comes from SETTLEKIT_HEADER_PREFIX at construction", () => {
    const before = receiver({ now });
    vi.stubEnv("SETTLEKIT_HEADER_PREFIX", "X-Pay");
    const webhooks = receiver({ now });
    vi.stubEnv("SETTLEKIT_HEADER_PREFIX", "X-Other");
    expect(refusal(webhooks, { body, headers })).toBeUndefined();
    expect(refusal(before, { body, headers })).toBe("missing_signature");
    expect(refusal(receiver({ now, headerPrefix: "X-Pay" }), { body, headers })).toBeUndefined();
  });

  it.each(["X-Service-", "X_Service", "X".repeat(101), "X".repeat(100), "-X"])(
    "is accepted or refused as the client does: %s in SETTLEKIT_HEADER_PREFIX",
    (prefix) => {
      vi.stubEnv("SETTLEKIT_HEADER_PREFIX", prefix);
      const options = { secretKey: "sk_1", baseUrl: "https://api.example" };
      const messageOf = (construct: () => unknown) => {
        try {
          return void construct();
        } catch (error) {
          return String(error);
        }
      };
      const own = messageOf(() => receiver({}));
      expect(own).toBe(messageOf(() => new MerchantClient(options)));
    },
  );

  it("comes from SETTLEKIT_HEADER_PREFIX for signWebhook and signedDelivery, too", () => {
    vi.stubEnv("SETTLEKIT_HEADER_PREFIX", "X-Pay");
    expect(Object.keys(signWebhook({ event: paymentUpdated, secret }).headers)).toEqual([
      "Content-Type",
      "X-Pay-Signature",
      "X-Pay-Timestamp",
    ]);
    const hints = { eventId: "evt_1" };
    const delivery = signedDelivery({ event: paymentUpdated, secret, hints });
    expect(receiver({ now }).verifySync(delivery)).toMatchObject({ ...paymentUpdated, hints });
  });

  it("is the documented one if the variable is empty, and is refused if the variable is malformed", () => {
    vi.stubEnv("SETTLEKIT_HEADER_PREFIX", "");
    expect(refusal(receiver(), delivery())).toBeUndefined();
    vi.stubEnv("SETTLEKIT_HEADER_PREFIX", "whsec t0p");
    expect(() => receiver()).toThrow(`SETTLEKIT_HEADER_PREFIX must be ${expectedPrefix}.`);
  });
});

describe("a handler that is not a function", () => {
  it("is refused when it is registered", () => {
    expect(() => receiver().on("payment.updated", undefined as never)).toThrow(ConfigurationError);
  });
});

describe("an event that is not a name", () => {
  it.each([[undefined], [5], [["payment.updated"]], [""]])("such as %j is refused", (event) => {
    const register = () => receiver().on(event as string, () => undefined);
    expect(register).toThrow("The option event must be the name of an event.");
    expect(register).toThrow(expect.objectContaining({ param: "event" }));
  });
});
