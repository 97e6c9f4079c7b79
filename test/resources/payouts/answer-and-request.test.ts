import { describe, expect, test } from "vitest";
import type { Withdrawal } from "../../../src/index.ts";
import { createSandbox, type Sandbox } from "../../../src/sandbox/index.ts";
import { clientOf } from "../sandbox-client.ts";
import { existing, losing, payout } from "./payout.ts";

/** A service whose response to a creation differs from the request. */
const answering = (sandbox: Sandbox, change: (answer: Withdrawal) => object) =>
  losing(sandbox, async (_, answer) =>
    Response.json(change((await answer.json()) as Withdrawal), { status: 201 }),
  );

describe("the response to a creation", () => {
  test.each([
    ["amountInCents", 12_600],
    ["chainId", 8453],
    ["chainId", "eip155:8453"],
    ["recipientAddress", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"],
    ["orderId", "payout_2"],
  ])("with another %s (%j) causes an error that holds it", async (field, value) => {
    const sandbox = createSandbox();
    const fetch = answering(sandbox, (answer) => ({ ...answer, [field]: value }));
    const client = clientOf(sandbox, { fetch });
    for (const method of ["create", "createOnce"] as const) {
      const input = method === "create" ? payout : { ...payout, orderId: "payout_3" };
      const error = await client.withdrawals[method](input).catch((thrown) => thrown);
      expect(error).toMatchObject({
        name: "UnexpectedResponseError",
        code: "answer_differs",
        outcome: "unknown",
        status: 201,
        body: { id: expect.any(String) },
      });
      expect(error.message).toContain(field);
    }
  });

  test.each([
    ["the address in another case", { recipientAddress: payout.recipientAddress.toLowerCase() }],
    ["the chain as CAIP-2 text", { chainId: "eip155:84532" }],
    ["the amount as text", { amountInCents: "12500" }],
    ["no orderId", { orderId: null }],
    ["nothing but the id", { amountInCents: undefined, chainId: undefined, orderId: undefined }],
    ["an odd amount", { amountInCents: { cents: 12_500 } }],
  ])("with %s does not differ from the request", async (_, change) => {
    const sandbox = createSandbox();
    const fetch = answering(sandbox, (answer) => ({ ...answer, ...change }));
    await clientOf(sandbox, { fetch }).withdrawals.create(payout);
    expect(await existing(sandbox)).toHaveLength(1);
  });

  test("that differs does not make createOnce send a second request", async () => {
    const sandbox = createSandbox();
    const fetch = answering(sandbox, (answer) => ({ ...answer, amountInCents: 1 }));
    const { withdrawals, calls } = clientOf(sandbox, { fetch });
    await expect(withdrawals.createOnce(payout)).rejects.toMatchObject({ code: "answer_differs" });
    expect(await withdrawals.createOnce(payout)).toMatchObject({ amountInCents: 12_500 });
    expect(calls("withdrawals.create")).toBe(1);
  });
});

describe("an orderId that the service may store differently", () => {
  test.each([
    ["a lone surrogate", "order_\ud800"],
    ["decomposed letters", "cafe\u0301"],
    ["leading white space", " order_1"],
    ["a trailing no-break space", "order_1\u00a0"],
    ["a control character", "order\u00001"],
    ["leading zeros", "007"],
    ["more digits than a number holds", "12345678901234567890"],
    ["an exponent", "1e5"],
    ["trailing decimal zeros", "1.50"],
  ])("is refused for withdrawals: %s", async (_, orderId) => {
    const sandbox = createSandbox();
    const { withdrawals } = clientOf(sandbox);
    for (const call of [withdrawals.create, withdrawals.createOnce]) {
      const error = await call.call(withdrawals, { ...payout, orderId }).catch((thrown) => thrown);
      expect(error).toMatchObject({ name: "InvalidRequestError", param: "orderId" });
      expect(error.message).toMatch(
        /must come back from the service unchanged, got ".*"\. .*text/i,
      );
    }
    expect(sandbox.requests()).toEqual([]);
  });

  test.each(["7", "1.5", "café", "a b", "order-1", "0x1f", "2026-07-01", "日本"])(
    "does not include %j",
    async (orderId) => {
      const { withdrawals } = clientOf(createSandbox());
      const { id } = await withdrawals.createOnce({ ...payout, orderId });
      expect(await withdrawals.findByOrderId(orderId)).toMatchObject([{ id }]);
    },
  );
});

describe("the comparison of metadata", () => {
  const asked = '{"ref":12345678901234567890,"share":0.1234567890123456789}';
  test.each([
    [
      "the same in another order",
      '{"share":0.1234567890123456789,"ref":12345678901234567890}',
      true,
    ],
    ["the same number written differently", '{"a":1.0}', true, '{"a":1}'],
    ["another last digit", asked.replace("890,", "891,"), false],
    ["another last decimal", asked.replace("789}", "788}"), false],
  ])("keeps all digits: %s", async (_, found, isSame, first = asked) => {
    const sandbox = createSandbox();
    const once = (customMetadata: string) =>
      clientOf(sandbox).withdrawals.createOnce({ ...payout, customMetadata });
    await once(first);
    const outcome = await once(found).then(
      () => "the same",
      ({ message }) => (message.includes("different customMetadata") ? "another" : message),
    );
    expect(outcome).toBe(isSame ? "the same" : "another");
  });
});
