import { expect, test } from "vitest";
import { Checkout } from "../../src/checkout/checkout.ts";
import { realTime } from "../../src/http/time.ts";
import { httpTo } from "../http/http-to.ts";
import { leftovers, nothing } from "../http/leftovers.ts";
import { payment } from "../wire/examples.ts";

/** A checkout whose payment takes the next of these statuses at each read, and keeps the last one. */
function checkoutOf(...statuses: string[]): Checkout {
  const fetch = async () => {
    const status = statuses.length > 1 ? statuses.shift() : statuses[0];
    return Response.json({ id: payment.id, status });
  };
  return new Checkout(httpTo({ url: "https://api.example" }, { fetch }, realTime), payment.id);
}

test("watch leaves no timer and no listener after a final status", async () => {
  const left = await leftovers(async (signal) => {
    for await (const _ of checkoutOf("pending", "pending", "completed").watch({ signal }));
  });
  expect(left).toEqual(nothing);
});

test("watch leaves no timer and no listener when its consumer stops", async () => {
  const left = await leftovers(async (signal) => {
    for await (const { status } of checkoutOf("pending", "processing").watch({ signal })) {
      if (status === "processing") break;
    }
  });
  expect(left).toEqual(nothing);
});

test("watch leaves no timer and no listener when it is aborted", async () => {
  const left = await leftovers(async (signal, abort) => {
    setTimeout(abort, 5000);
    for await (const _ of checkoutOf("pending").watch({ signal }));
  });
  expect(left).toEqual(nothing);
});
