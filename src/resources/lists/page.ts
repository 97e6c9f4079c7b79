import * as z from "zod/mini";
import { ApiPromise } from "../../http/answer.ts";
import type { Http } from "../../http/http.ts";
import { callSchema, type ReadOptions } from "../../http/settings.ts";
import { callSite, invalidArgument } from "../../values.ts";
import { checkOptions, must } from "../../wire/fields.ts";
import type { ListOperation } from "../../wire/operation.ts";
import type { PageBody, PageQuery, Pagination } from "../../wire/pagination.ts";
import { chainIdOnWire, checkParameters, refused } from "../arguments.ts";
import { type Identified, type List, PageWalk } from "./page-walk.ts";

/** One page of a list (interface section 2.7). */
export class Page<Item extends Identified> {
  /** The page's items, except those already on an earlier page. */
  readonly data: readonly Item[];
  /** As the service sent it. */
  readonly pagination: Pagination;
  readonly #readNext: () => Promise<Page<Item> | undefined>;
  #next: Promise<Page<Item> | undefined> | undefined;

  /** @internal */
  constructor(body: PageBody<Item>, readNext: () => Promise<Page<Item> | undefined>) {
    this.data = body.data;
    this.pagination = body.pagination;
    this.#readNext = readNext;
  }

  /** The page after this one; undefined at the end. After an error, call it again to retry. */
  next(): Promise<Page<Item> | undefined> {
    this.#next ??= this.#readNext().catch((error: unknown) => {
      this.#next = undefined;
      throw error;
    });
    return this.#next;
  }
}

/** Outside the class: bundlers rename a class that refers to itself, and console.log would show that name. */
async function nextPage<Item extends Identified>(
  walk: PageWalk<Item>,
): Promise<Page<Item> | undefined> {
  const body = await walk.next().catch(walk.list.fail);
  return body && new Page(body, () => nextPage(walk));
}

/**
 * A list: await it for its first page, or iterate it for all items. The list may change during the iteration: an item
 * that is in it throughout is returned exactly once. After an error, calling the iterator's `next` again retries the
 * failed page. Iterating throws an `UnexpectedResponseError`, code `unreadable_list`, if the service reports more items
 * but returns nothing new.
 *
 * @example
 * ```ts
 * const page = await client.payments.list({ status: "completed" });
 * for await (const payment of client.payments.list({ limit: 1000 }, { prefetch: 2 })) {
 *   console.log(payment.id);
 * }
 * const latest = await client.payments.list().toArray({ limit: 250 });
 * ```
 */
export class PagePromise<Item extends Identified>
  extends ApiPromise<Page<Item>>
  implements AsyncIterable<Item>
{
  readonly #list: List<Item>;
  readonly #first: Promise<PageBody<Item>>;

  /** @internal */
  constructor(list: List<Item>) {
    const first = list.read();
    const walk = new PageWalk(list, first);
    const readFirst = async () => {
      const response = await first.withResponse();
      return { ...response, data: (await nextPage(walk)) as Page<Item> };
    };
    super(readFirst());
    this.#list = list;
    this.#first = first;
  }

  /** Iterates the list page by page. */
  pages(): AsyncIterableIterator<Page<Item>> {
    // The iterator reports a failure of the first page.
    this.catch(() => {});
    const walk = new PageWalk(this.#list, this.#first);
    let page: Page<Item> | undefined;
    const step = async () => {
      const next = await (page ? page.next() : nextPage(walk));
      page = next ?? page;
      return next;
    };
    return inTurn(step, () => walk.discard());
  }

  /** Iterates the list item by item. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Item> {
    const pages = this.pages();
    let items: Iterator<Item> = [][Symbol.iterator]();
    const step = async () => {
      for (;;) {
        const item = items.next();
        if (!item.done) return item.value;
        const page = await pages.next();
        if (page.done) return undefined;
        items = page.value.data[Symbol.iterator]();
      }
    };
    return inTurn(step, () => void pages.return?.());
  }

  /**
   * The first items of the list, at most `limit` of them.
   *
   * @throws {InvalidRequestError} when `limit` is not a whole number of at least 0.
   */
  async toArray(bound: { limit: number }): Promise<Item[]> {
    const { limit } = { ...bound };
    if (!Number.isSafeInteger(limit) || limit < 0) {
      this.catch(() => {});
      throw invalidArgument(
        "limit",
        "toArray needs { limit }, zero or a positive whole number: the most items to hold in memory.",
      );
    }
    const items: Item[] = [];
    for await (const item of this) {
      if (items.length < limit) items.push(item);
      if (items.length >= limit) break;
    }
    return items;
  }
}

/**
 * An async iterator over the results of `produce`, until it returns undefined. Unlike a generator, it survives errors;
 * overlapping calls run one after another.
 *
 * @param leave Called when the loop is left early.
 */
function inTurn<T>(
  produce: () => Promise<T | undefined>,
  leave: () => void,
): AsyncIterableIterator<T> {
  let isClosed = false;
  let turn: Promise<unknown> = Promise.resolve();
  const step = async (): Promise<IteratorResult<T>> => {
    const value = isClosed ? undefined : await produce();
    if (value !== undefined) return { done: false, value };
    isClosed = true;
    return { done: true, value };
  };
  return {
    next() {
      const result = turn.then(step);
      // Only the caller of this step gets its failure.
      turn = result.catch(() => {});
      return result;
    },
    async return() {
      isClosed = true;
      // A step that is under way finishes first.
      turn = turn.then(leave);
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** The options of one list. Its time limits apply to each page. */
export interface ListOptions extends ReadOptions {
  /** How many pages to read ahead while iterating, 0 to 16. Default 0. */
  prefetch?: number | undefined;
}

type ListQuery = PageQuery & Record<string, string | number | undefined>;

const fewPages = must("a whole number from 0 to 16");
const prefetchSchema = z.int(fewPages).check(z.gte(0, fewPages), z.lte(16, fewPages));
const listSchema = z.strictObject({ ...callSchema.shape, prefetch: z.optional(prefetchSchema) });

/** Reads a list. A refused argument rejects the promise, as any other failure does. */
export function list<Item extends Identified>(
  http: Http,
  operation: ListOperation<Item>,
  query: object,
  options: ListOptions = {},
): PagePromise<Item> {
  const fail = callSite(list);
  const { prefetch = 0, ...callOptions } = { ...options };
  // Kept for later pages: the caller may reuse the object with other filters.
  let filters: ListQuery | undefined;
  const read = (range: PageQuery = {}, abandoned?: AbortSignal) => {
    const fill = () => {
      checkOptions(listSchema, options);
      filters ??= checkFilters(operation, query, http);
      return { query: { ...filters, ...range } };
    };
    const signals = [callOptions.signal, abandoned].filter((it) => it !== undefined);
    const ends = abandoned && { signal: AbortSignal.any(signals) };
    return http.call(operation, fill, { ...callOptions, ...ends });
  };
  const { offset = 0 }: PageQuery = { ...query };
  // The first read refuses any other offset.
  const begin = Number.isSafeInteger(offset) ? offset : 0;
  return new PagePromise({ name: operation.name, read, fail, offset: begin, prefetch });
}

const rules: Readonly<Record<string, string>> = {
  limit: "must be a whole number from 1 to 1000",
  offset: "must be zero or a positive whole number",
};

/** An unknown or empty filter would be ignored: the whole list would look like a filtered one. */
function checkFilters({ query: schema }: ListOperation<unknown>, query: object, http: Http) {
  if (Object(query).orderId !== undefined) {
    throw invalidArgument("orderId", 'Lists have no filter "orderId". Use findByOrderId.');
  }
  const given = Object.entries(checkParameters(query, schema.shape, "query"));
  const filters: ListQuery = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  const empty = Object.keys(filters).find((name) => filters[name] === "");
  if (empty !== undefined) throw invalidArgument(empty, `${empty} is empty. Leave it out.`);
  const { chainId } = filters;
  if (chainId !== undefined) filters.chainId = chainIdOnWire(chainId, http.settings.wire);
  const [issue] = schema.safeParse(filters).error?.issues ?? [];
  if (issue === undefined) return filters;
  const param = String(issue.path[0]);
  throw refused(param, rules[param] ?? "must be a string that the service accepts", filters[param]);
}
