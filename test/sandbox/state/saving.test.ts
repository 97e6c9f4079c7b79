import fc from "fast-check";
import { createSandbox, type SandboxOptions, type SavedSandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { ask } from "../customer.ts";
import { create, list, newYear, read, send, withdraw } from "../merchant.ts";
import { anyStep, everythingOf, reset, takeSteps } from "./steps.ts";

const refuse = () => new Response(null, { status: 500 });

/** A copy as it would be read from a file. */
function throughFile(saved: SavedSandbox): SavedSandbox {
  return JSON.parse(JSON.stringify(saved));
}

describe("a saved sandbox", () => {
  it("continues in another sandbox exactly as it would have in the first", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyStep, { maxLength: 12 }),
        fc.array(anyStep, { maxLength: 12 }),
        fc.option(fc.constant("seed"), { nil: undefined }),
        async (before, after, seed) => {
          const first = createSandbox({
            now: newYear,
            seed,
            deliver: refuse,
            merchants: [{}, { depositsEnabled: false }],
          });
          await takeSteps(first, before);
          const saved = throughFile(first.save());
          const second = createSandbox({ deliver: refuse, merchants: [{}, {}] });
          second.load(saved);
          expect(await everythingOf(second)).toBe(await everythingOf(first));
          // Without a seed, a reset draws new ids.
          if (seed === undefined && after.includes(reset)) return;
          expect(await takeSteps(second, after)).toEqual(await takeSteps(first, after));
          expect(await everythingOf(second)).toBe(await everythingOf(first));
        },
      ),
      { numRuns: 30 },
    );
  });

  it("replaces the keys of the sandbox that loads it", async () => {
    const first = createSandbox({ merchants: [{}, {}] });
    const opened = await create(first);
    const { accessToken, merchantId, secretKey, webhookSecret } = first;
    const second = createSandbox();
    const secretKeyBefore = second.secretKey;
    second.load(throughFile(first.save()));
    expect(second).toMatchObject({ accessToken, merchantId, secretKey, webhookSecret });
    expect(second.merchants).toEqual(first.merchants);
    expect((await list(second)).pagination.total).toBe(1);
    expect((await ask(second, opened, "/status")).status).toBe(200);
    const headers = { "X-Service-Secret-Key": secretKeyBefore };
    expect((await send(second, "/v1/external/secretkey-auth/payments", { headers })).status).toBe(
      401,
    );
  });

  it("is a copy: neither side's changes reach the other", async () => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    const saved = sandbox.save();
    const text = JSON.stringify(saved);
    await sandbox.payments.simulate(paymentId, "success");
    expect(JSON.stringify(saved)).toBe(text);
    sandbox.load(saved);
    for (const entry of saved.tables.payments ?? []) Object.assign(entry[1] as object, { id: "x" });
    expect((await read(sandbox, paymentId)).status).toBe("pending");
  });

  it("keeps the time of a frozen clock, and the offset of a running one", async () => {
    const frozen = createSandbox({ now: newYear });
    await frozen.clock.advance("1h");
    const running = createSandbox();
    running.load(throughFile(frozen.save()));
    expect(running.clock.now()).toEqual(new Date("2026-01-01T01:00:00.000Z"));
    const ahead = createSandbox();
    await ahead.clock.advance("3d");
    frozen.load(throughFile(ahead.save()));
    const distanceMs = frozen.clock.now().getTime() - Date.now();
    expect(Math.abs(distanceMs - 3 * 86_400_000)).toBeLessThan(3_600_000);
  });

  it("keeps a merchant's permissions, unless the sandbox that loads it sets them", async () => {
    const saved = createSandbox({ depositsEnabled: false, withdrawalsEnabled: false }).save();
    const other = createSandbox({ withdrawalsEnabled: true });
    other.load(saved);
    expect(other.merchants).toMatchObject([{ depositsEnabled: false, withdrawalsEnabled: true }]);
    await withdraw(other);
    await expect(create(other, { type: "deposit" })).rejects.toThrow("deposits_disabled");
  });

  it("gives its own options to every merchant that it loads", async () => {
    const received: string[] = [];
    const deliver = ({ url }: Request) => {
      received.push(url);
      return new Response();
    };
    const webhookUrl = "http://127.0.0.1:3000/webhooks";
    const other = createSandbox({ webhookUrl, deliver, depositsEnabled: false });
    other.load(createSandbox({ merchants: [{}, {}] }).save());
    expect(other.merchants).toMatchObject(
      [{}, {}].map(() => ({ webhookUrl, depositsEnabled: false })),
    );
    for (const { secretKey } of other.merchants) {
      await create(other, {}, { "X-Service-Secret-Key": secretKey });
    }
    await other.webhooks.idle();
    expect(received).toEqual([webhookUrl, webhookUrl]);
  });

  it("continues the sequence numbers of events, even after a reset", async () => {
    const sandboxes = [createSandbox(), createSandbox()] as const;
    const sequences: number[] = [];
    for (const sandbox of sandboxes) {
      sandbox.on("request", ({ sequence }) => sequences.push(sequence));
      await list(sandbox);
      sandbox.reset();
      sandboxes[1].load(throughFile(sandbox.save()));
    }
    // Each request is emitted twice.
    expect(sequences).toEqual([1, 1, 2, 2]);
  });

  it("keeps additional merchants of the sandbox that loads it", () => {
    const options: SandboxOptions = { identity: "joint" };
    const saved = createSandbox(options).save();
    const other = createSandbox({ merchants: [{}, {}, {}] });
    other.load(saved);
    expect(other.merchants).toEqual(
      createSandbox({ ...options, merchants: [{}, {}, {}] }).merchants,
    );
  });

  it("resends webhooks that were in flight, if there is an endpoint", async () => {
    const { promise: never } = Promise.withResolvers<Response>();
    const first = createSandbox({ deliver: () => never });
    const { paymentId } = await create(first);
    const received: string[] = [];
    const second = createSandbox({
      deliver: async (request) => {
        received.push(await request.text());
        return new Response();
      },
    });
    second.load(throughFile(first.save()));
    await second.webhooks.idle();
    expect(received).toEqual([expect.stringContaining(paymentId)]);

    const silent = createSandbox();
    silent.load(first.save());
    await silent.webhooks.idle();
    expect(silent.webhooks.deliveries()).toMatchObject([{ status: "pending", attempts: [] }]);
  });
});

describe("an invalid saved sandbox", () => {
  const saved = createSandbox().save();
  const version = saved.version + 1;

  it.each([
    ["nothing", null, /object that save\(\) returned/],
    ["text", "saved", /object that save\(\) returned/],
    ["a list", [saved], /object that save\(\) returned/],
    ["another program's file", { version: 1, tables: {} }, /object that save\(\) returned/],
    ["one of a later version", { ...saved, version }, /version 2, but this settlekit reads/],
    ["one with an extra table", { ...saved, tables: { ...saved.tables, more: [] } }, /"more"/],
    [
      "one with a table that is not a list",
      { ...saved, tables: { ...saved.tables, due: {} } },
      /"due"/,
    ],
    [
      "one with half an entry",
      { ...saved, tables: { ...saved.tables, payments: [["id"]] } },
      /"payments"/,
    ],
    ["one with a missing table", { ...saved, tables: {} }, /"dropped" is invalid/],
    ["one with a broken merchant", broken("merchants"), invalid("merchants")],
    [
      "one with a merchant without a secret key",
      broken("merchants", { merchantId: "1", webhookSecret: "whsec_1" }),
      invalid("merchants"),
    ],
    [
      "one with a merchant without a webhook secret",
      broken("merchants", { merchantId: "1", secretKey: "sk_test_1" }),
      invalid("merchants"),
    ],
    [
      "one with a webhook without a name",
      broken("deliveries", { data: { id: "1" }, attempts: [] }),
      invalid("deliveries"),
    ],
    ["one with a broken payment", broken("payments"), invalid("payments")],
    ["one with a broken withdrawal", broken("withdrawals"), invalid("withdrawals")],
    ["one whose clock stands at text", at("2026-01-01"), /do not fit together/],
    ["one whose clock stands beyond the year 5138", at(1e14), /do not fit together/],
  ])("is refused and changes nothing: %s", async (_, other, reason) => {
    const sandbox = createSandbox({ now: newYear });
    await create(sandbox);
    const before = await everythingOf(sandbox);
    expect(() => sandbox.load(other as SavedSandbox)).toThrow(
      expect.objectContaining({ code: "invalid_save", message: expect.stringMatching(reason) }),
    );
    expect(await everythingOf(sandbox)).toBe(before);
  });

  it.each(["due", "timeline", "requests", "deliveries", "faults", "disorders"])(
    "is refused if one of its %s is null or incomplete",
    (table) => {
      const refusal = { code: "invalid_save", message: expect.stringMatching(invalid(table)) };
      for (const value of [null, {}]) {
        const other = broken(table, value) as SavedSandbox;
        expect(() => createSandbox().load(other)).toThrow(expect.objectContaining(refusal));
      }
    },
  );

  function at(frozenAtMs: unknown) {
    const time = [["value", { frozenAtMs, advancedMs: 0 }]];
    return { ...saved, tables: { ...saved.tables, time } };
  }

  function invalid(table: string) {
    return new RegExp(`the table "${table}" is invalid`);
  }

  function broken(table: string, value: unknown = null) {
    return { ...saved, tables: { ...saved.tables, [table]: [["1", value]] } };
  }
});
