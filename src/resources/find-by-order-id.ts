import { ApiPromise, type ApiResponse } from "../http/api-promise.ts";
import type { Http } from "../http/http.ts";
import type { RequestOptions } from "../http/settings.ts";
import type { Operation } from "../wire/operations.ts";
import type { PageBody } from "../wire/pagination.ts";
import { checkReference, refused } from "./arguments.ts";
import { PageWalk } from "./page-walk.ts";

export interface FindOptions extends RequestOptions {
  /**
   * Nothing that was created before can match: reading stops there, as long as the pages prove to be
   * newest first. A Date, or ISO 8601 text.
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

/** Finds by reading the list: the service has no filter by order id. */
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
  const read = (offset: number, size = limit) =>
    http.call(operation, { query: { limit: size, offset } }, options).withResponse();

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
      if (item.orderId === orderId) found.push(item);
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

function checkCreatedAfter(value: Date | string | undefined): number {
  if (value === undefined) return Number.NEGATIVE_INFINITY;
  const ms = value instanceof Date ? value.getTime() : Date.parse(value);
  if (!Number.isNaN(ms)) return ms;
  throw refused("createdAfter", "must be a Date or ISO 8601 text", String(value));
}
