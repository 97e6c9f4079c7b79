import { expect, test } from "vitest";
import { exitCodeOf } from "../../src/cli/exit-codes.ts";
import {
  ApiError,
  IdempotencyConflictError,
  InvalidRequestError,
  NotFoundError,
  StoreError,
} from "../../src/errors.ts";

const about = { code: "any" };

test.each([
  [new InvalidRequestError("", about)],
  [new NotFoundError("", about)],
  [new IdempotencyConflictError("", about)],
])("an error raised by settlekit itself exits with 2: %o", (error) => {
  expect(exitCodeOf(error)).toBe(2);
});

test.each([
  [new ApiError("", { ...about, status: 404 })],
  [new NotFoundError("", { ...about, status: 404 })],
  // Raised after the order's withdrawals were read.
  [new IdempotencyConflictError("", { ...about, operation: "withdrawals.createOnce" })],
])("an error caused by the service's answer or data exits with 5: %o", (error) => {
  expect(exitCodeOf(error)).toBe(5);
});

test.each([
  ["store_unavailable", 4],
  ["no_free_client", 4],
  ["store_busy", 4],
  ["store_conflict", 4],
  ["store_full", 4],
  ["not_migrated", 2],
  ["newer_schema", 2],
])("the store error %s exits with %i", (code, exitCode) => {
  expect(exitCodeOf(new StoreError("", { code }))).toBe(exitCode);
});
