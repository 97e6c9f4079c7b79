import { describe, expect, test } from "vitest";
import { ApiPromise, type ApiResponse } from "../../src/http/answer.ts";

const response: ApiResponse<number> = {
  data: 7,
  status: 200,
  rawBody: "",
  headers: new Headers(),
  requestId: "req_1",
  idempotencyKey: undefined,
  attempts: 1,
};

describe("an ApiPromise", () => {
  test("resolves to the value, and with withResponse() to the whole response", async () => {
    const promise = new ApiPromise(Promise.resolve(response));
    expect(await promise).toBe(7);
    expect(await promise.withResponse()).toBe(response);
  });

  test("chains like any promise", async () => {
    const promise = new ApiPromise(Promise.resolve(response));
    expect(promise).toBeInstanceOf(Promise);
    expect(promise.then((value) => value + 1)).not.toBeInstanceOf(ApiPromise);
    expect(await promise.then((value) => value + 1)).toBe(8);
    expect(await Promise.all([promise, promise.finally(() => {})])).toEqual([7, 7]);
  });

  test("that rejects causes no unhandled rejection when either of its promises is handled", async () => {
    const unhandled: unknown[] = [];
    const record = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", record);
    const failed = () => new ApiPromise<number>(Promise.reject(new Error("no")));
    await expect(failed().withResponse()).rejects.toThrow("no");
    await expect(failed()).rejects.toThrow("no");
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", record);
    expect(unhandled).toEqual([]);
  });

  test("that rejects keeps its caller in the error's stack", async () => {
    async function fails(): Promise<ApiResponse<number>> {
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error("no");
    }
    async function placeOrder() {
      await new ApiPromise(fails());
    }
    async function placeOrderAndLog() {
      await new ApiPromise(fails()).withResponse();
    }
    await expect(placeOrder()).rejects.toMatchObject({
      stack: expect.stringMatching(/at (async )?placeOrder /),
    });
    await expect(placeOrderAndLog()).rejects.toMatchObject({
      stack: expect.stringMatching(/at (async )?placeOrderAndLog /),
    });
  });
});
