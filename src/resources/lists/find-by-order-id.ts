import * as z from "zod/mini";
import { TimeoutError, UnexpectedResponseError } from "../../errors.ts";
import type { ApiResponse } from "../../http/answer.ts";
import type { Http } from "../../http/http.ts";
import { callSchema, type ReadOptions } from "../../http/settings.ts";
import { invalidArgument, timeOf } from "../../values.ts";
import { checkOptions } from "../../wire/fields.ts";
import type { ListOperation } from "../../wire/operation.ts";
import type { PageBody } from "../../wire/pagination.ts";
import { checkReference, refused } from "../arguments.ts";
import { unreadable } from "./page-walk.ts";

/** The options of `findByOrderId`. */
export interface FindOptions extends ReadOptions {
  /**
   * A time before which no match can have been created: a `Date`, or ISO 8601 text with a time zone such as
   * `2026-07-01T00:00:00Z`. Reading stops five minutes before it, to allow for clock differences, provided the pages
   * are provably sorted newest first.
   */
  createdAfter?: Date | string | undefined;
}

interface Ordered {
  readonly id: string;
  readonly orderId?: string | null;
  readonly createdAt: string;
}

/** The service's largest page, for the fewest requests. */
const limit = 1000;
const clockMarginMs = 300_000;
/** A list that shifts while being read can hide an item from one reading, but hardly from three. */
const maxReadings = 3;
/** Consecutive pages without a new item. More means that the service is repeating itself. */
const maxRepeats = 20;

export const findSchema = z.strictObject({
  ...callSchema.shape,
  createdAfter: z.optional(z.custom<FindOptions["createdAfter"]>()),
});

/**
 * Finds items by reading the list, because the service has no filter for `orderId`. One deadline covers all pages. An
 * empty result is proof that there is no match: every item of the list was read.
 *
 * @throws {UnexpectedResponseError} code `unreadable_list`, outcome `not_sent`, when nothing was found but the list
 * cannot be shown to have been read completely.
 */
export async function findByOrderId<Item extends Ordered>(
  http: Http,
  operation: ListOperation<Item>,
  orderId: string,
  given: FindOptions = {},
): Promise<ApiResponse<Item[]>> {
  const { createdAfter, ...options } = checkOptions(findSchema, given);
  checkReference("orderId", orderId);
  const stopMs = checkCreatedAfter(createdAfter) - clockMarginMs;
  const { time, settings } = http;
  const { deadlineMs = settings.deadlineMs } = options;
  const deadlineAt = time.now() + deadlineMs;
  const search = new Search<Item>(orderId);
  let page: ApiResponse<PageBody<Item>> | undefined;

  for (let readings = 1; ; readings++) {
    const knownBefore = search.ids.size;
    let offset = 0;
    do {
      const remainingMs = deadlineAt - time.now();
      if (remainingMs <= 0) {
        throw new TimeoutError(
          `${operation.name} could not be read completely within deadlineMs (${deadlineMs} ms). Raise deadlineMs, or ` +
            "pass createdAfter to stop earlier.",
          { code: "deadline_exceeded", operation: operation.name },
        );
      }
      const call = { ...options, deadlineMs: remainingMs };
      try {
        page = await http.call(operation, { query: { limit, offset } }, call).withResponse();
      } catch (error) {
        const isUnread = UnexpectedResponseError.is(error) && error.code !== "response_too_large";
        if (!isUnread) throw error;
        if (page && search.found.length > 0) return { ...page, data: search.found };
        throw unreadableFor(orderId, operation.name, "data is not a list", error);
      }
      // The service's time is known only after a response. A time in the future would end every search at once.
      if (stopMs > http.serviceNow()) {
        const times = [stopMs + clockMarginMs, http.serviceNow()];
        const [given, now] = times.map((ms) => new Date(ms).toISOString());
        throw invalidArgument(
          "createdAfter",
          `createdAfter is in the future: it is ${given}, but the service's clock shows ${now}. Correct it, or this ` +
            "machine's clock.",
        );
      }
      search.take(page.data, offset);
      if (search.hasPassed(stopMs)) return { ...page, data: search.found };
      // Each page overlaps the previous one by an item. Without the overlap, items were skipped.
      offset += Math.max(1, page.data.data.length - 1);
    } while (search.goesOn);

    const { oddity } = search;
    if (oddity === undefined || search.found.length > 0) return { ...page, data: search.found };
    const mayHelpToReadAgain = search.isShort && search.ids.size > knownBefore;
    if (!mayHelpToReadAgain || readings === maxReadings) {
      throw unreadableFor(orderId, operation.name, oddity, { ...page, body: page.data });
    }
  }
}

class Search<Item extends Ordered> {
  readonly #orderId: string;
  readonly found: Item[] = [];
  /** The ids of all items seen so far. */
  readonly ids = new Set<string>();
  readonly #idsOfReading = new Set<string>();
  /** The largest total that any page reported. */
  #total = 0;
  /** `hasMore` of the latest page. */
  #hasMore: unknown;
  #repeats = 0;
  #isStuck = false;
  /** The first thing that makes the list unreliable. */
  #fault: string | undefined;
  /** Whether every page so far overlaps the one before it and is sorted newest first. */
  #isNewestFirst = true;
  #latestMs: number | undefined;
  #earliestMs = Number.POSITIVE_INFINITY;

  constructor(orderId: string) {
    this.#orderId = orderId;
  }

  /** Whether the service reports more items and still delivers new ones. */
  get goesOn(): boolean {
    return this.#hasMore === true && !this.#isStuck;
  }

  /** Whether the service counts more items than the pages have shown. */
  get isShort(): boolean {
    return this.#hasMore === false && this.ids.size < this.#total;
  }

  /** Why the list may not have been read completely; undefined if it was. */
  get oddity(): string | undefined {
    if (this.#fault !== undefined) return this.#fault;
    if (this.#hasMore === true) return "it reports more items, but returns nothing new";
    if (this.#hasMore !== false) return "pagination.hasMore is missing or not a boolean";
    if (!this.isShort) return undefined;
    return `it ended after ${this.ids.size} different items, although pagination.total is ${this.#total}`;
  }

  take({ data, pagination }: PageBody<Item>, offset: number): void {
    const total: unknown = pagination?.total;
    // A count of 0 beside items has failed, and hasMore usually follows from it.
    if (!Number.isSafeInteger(total) || Number(total) < Math.min(1, data.length)) {
      this.#fault ??= "pagination.total is missing or wrong";
    }
    this.#total = Math.max(this.#total, Number(total) || 0);
    this.#hasMore = pagination?.hasMore;
    const joins =
      this.ids.size === 0 ||
      data.some((item) => isReference(item?.id) && this.ids.has(String(item.id)));
    this.#isNewestFirst &&= joins && pagination?.offset === offset;
    if (offset === 0) this.#idsOfReading.clear();
    const sizeBefore = this.#idsOfReading.size;
    for (const item of data) this.#takeItem(item);
    this.#repeats = this.#idsOfReading.size > sizeBefore ? 0 : this.#repeats + 1;
    this.#isStuck = data.length === 0 || this.#repeats > maxRepeats;
  }

  #takeItem(item: Partial<Record<keyof Ordered, unknown>> | null): void {
    const { id, orderId = null, createdAt } = item ?? {};
    if (!isReference(id) || !(orderId === null || isReference(orderId))) {
      this.#fault ??= "it holds an item whose id or orderId cannot be read";
      return;
    }
    this.#idsOfReading.add(String(id));
    if (this.ids.has(String(id))) return;
    this.ids.add(String(id));
    // The service may turn references that look like numbers into numbers.
    if (orderId !== null && String(orderId) === this.#orderId) this.found.push(item as Item);
    const createdMs = timeOf(createdAt);
    // An unreadable time proves nothing.
    this.#isNewestFirst &&= createdMs <= this.#earliestMs;
    this.#latestMs ??= createdMs;
    this.#earliestMs = createdMs;
  }

  /** Whether everything created after this time has provably been read. */
  hasPassed(stopMs: number): boolean {
    const isProved = this.#isNewestFirst && this.#fault === undefined;
    // Equal times would fit any order.
    const hasOrder = this.#earliestMs < (this.#latestMs ?? 0);
    return isProved && hasOrder && this.#earliestMs < stopMs;
  }
}

function isReference(value: unknown): value is string | number {
  return typeof value === "string" || Number.isSafeInteger(value);
}

function unreadableFor(
  orderId: string,
  operation: string,
  oddity: string,
  page: Pick<UnexpectedResponseError, "status" | "requestId" | "body">,
): UnexpectedResponseError {
  const { status, requestId, body } = page;
  const cause = page instanceof Error ? page : undefined;
  return unreadable(
    `Cannot tell whether orderId "${orderId}" is listed: ${operation} could not be read completely, because ${oddity}.`,
    { operation, status, requestId, body, cause },
  );
}

const isoWithZone = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

function checkCreatedAfter(value: Date | string | undefined): number {
  if (value === undefined) return Number.NEGATIVE_INFINITY;
  if (value instanceof Date || (typeof value === "string" && isoWithZone.test(value))) {
    const ms = new Date(value).getTime();
    if (!Number.isNaN(ms)) return ms;
  }
  throw refused("createdAfter", "must be a Date or an ISO 8601 string with a time zone", value);
}
