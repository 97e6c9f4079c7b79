import { TimeoutError, UnexpectedResponseError } from "../../errors.ts";
import { ApiPromise, type ApiResponse } from "../../http/api-promise.ts";
import type { Http } from "../../http/http.ts";
import { checkLimit, type RequestOptions } from "../../http/settings.ts";

import type { Operation } from "../../wire/operations.ts";
import type { PageBody } from "../../wire/pagination.ts";
import { checkReference, refused } from "../arguments.ts";
import { PageWalk } from "./page-walk.ts";

export interface FindOptions extends RequestOptions {
  /**
   * Nothing that was created before can match: reading stops there, as long as the pages prove to be
   * newest first. A Date, or ISO 8601 text with its zone, such as `2026-07-01T00:00:00Z`.
   */
  createdAfter?: Date | string | undefined;
}

interface Ordered {
  readonly id: string;
  readonly orderId?: string | null;
  readonly createdAt: string;
}

/** The fewest requests: the service's largest page. */
const limit = 1000;

/** Finds by reading the list: the service has no filter by order id. One deadline holds for it all. */
export function findByOrderId<Item extends Ordered>(
  http: Http,
  operation: Operation<PageBody<Item>>,
  orderId: string,
  options: FindOptions = {},
): ApiPromise<Item[]> {
  return new ApiPromise(find(http, operation, orderId, options));
}

async function find<Item extends Ordered>(
  http: Http,
  operation: Operation<PageBody<Item>>,
  orderId: string,
  options: FindOptions,
): Promise<ApiResponse<Item[]>> {
  checkReference("orderId", orderId);
  const stopMs = checkCreatedAfter(options.createdAfter);
  const { time, settings } = http;
  const deadlineMs = checkLimit("deadlineMs", options.deadlineMs ?? settings.deadlineMs);
  const deadlineAt = time.now() + deadlineMs;
  const read = async (offset: number, size = limit) => {
    const remainingMs = deadlineAt - time.now();
    if (remainingMs <= 0) throw tooLate(operation.name, deadlineMs);
    const call = { ...options, deadlineMs: remainingMs };
    const answer = await http
      .call(operation, { query: { limit: size, offset } }, call)
      .withResponse();
    checkReadable(operation.name, answer);
    return answer;
  };

  const first = await read(0);
  let last: ApiResponse<unknown> = first;
  const walk = new PageWalk<Item>(
    async (offset, size) => {
      const answer = await read(offset, size);
      last = answer;
      return answer.data;
    },
    { offset: 0, prefetch: 0 },
  );

  const found: Item[] = [];
  let newestFirst = true;
  let earliestMs = Number.POSITIVE_INFINITY;
  let page: PageBody<Item> | undefined = walk.begin(first.data);
  while (page) {
    for (const item of page.data) {
      // A service may give numbers for references that look like some.
      if (item.orderId !== null && String(item.orderId) === orderId) found.push(item);
      const createdMs = Date.parse(item.createdAt);
      // A time that cannot be read proves nothing.
      newestFirst &&= createdMs <= earliestMs;
      earliestMs = createdMs;
    }
    if (newestFirst && earliestMs < stopMs) break;
    page = await walk.next();
  }
  return { ...last, data: found };
}

/**
 * "There is none" is only true when every item could be read: an item without id or with an odd order
 * id might be the one.
 */
function checkReadable(operation: string, answer: ApiResponse<PageBody<Ordered>>): void {
  const readable = answer.data.data.every(
    (item: Partial<Record<keyof Ordered, unknown>> | null) => {
      const { id, orderId = null } = item ?? {};
      const isId = (value: unknown) => typeof value === "string" || typeof value === "number";
      return isId(id) && (orderId === null || isId(orderId));
    },
  );
  if (readable) return;
  throw new UnexpectedResponseError(
    `${operation} gave an item whose id or orderId cannot be read, so nobody can say what is in the list. ` +
      "error.body holds the page. Look on the dashboard, and tell the service.",
    {
      code: "unreadable_list",
      operation,
      status: answer.status,
      requestId: answer.requestId,
      body: answer.data,
    },
  );
}

function tooLate(operation: string, deadlineMs: number): TimeoutError {
  return new TimeoutError(
    `${operation} could not be read to its end within deadlineMs (${deadlineMs} ms). Raise deadlineMs, or ` +
      "give createdAfter to stop earlier.",
    { code: "deadline_exceeded", operation },
  );
}

const isoWithZone = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

function checkCreatedAfter(value: Date | string | undefined): number {
  if (value === undefined) return Number.NEGATIVE_INFINITY;
  if (value instanceof Date || isoWithZone.test(value)) {
    const ms = new Date(value).getTime();
    if (!Number.isNaN(ms)) return ms;
  }
  throw refused("createdAfter", "must be a Date or ISO 8601 text with its zone", String(value));
}
