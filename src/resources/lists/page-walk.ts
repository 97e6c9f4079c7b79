import { UnexpectedResponseError, type UnexpectedResponseErrorOptions } from "../../errors.ts";
import type { ApiPromise } from "../../http/answer.ts";
import type { ChainId } from "../../wire/fields.ts";
import type { PageBody, PageQuery } from "../../wire/pagination.ts";

/** A list as a resource requests it. */
export interface List<Item> {
  /** The operation's name. */
  readonly name: string;
  /** Reads one page: by default, the range that the caller asked for. */
  read(range?: PageQuery, signal?: AbortSignal): ApiPromise<PageBody<Item>>;
  /** Throws an error with the stack of the call that asked for the list. */
  readonly fail: (error: unknown) => never;
  /** The offset that the caller asked for. */
  readonly offset: number;
  /** How many pages to read ahead. */
  readonly prefetch: number;
}

/** The identity of a list's item: its id, or the chain id of a chain. */
export interface Identified {
  readonly id?: string;
  readonly chainId?: ChainId;
}

/** The id of an item; undefined for an item without one, which cannot be told apart from others like it. */
function idOf(item: Identified | null | undefined): string | undefined {
  const id: unknown = item?.id ?? item?.chainId;
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}

const maxLimit = 1000;
/** How many reads may bring nothing new, in addition to those needed to reread the known part. */
const patience = 50;

/**
 * Walks a list page by page while it changes. Offsets shift when items are added or leave the filter, so each page
 * begins with the last item of the page before it. If a page holds no known item, something may have been skipped: the
 * walk steps back until it sees a known item, and continues from there. Every item that was in the list throughout is
 * returned once, and no item twice.
 *
 * A failed read does not move the walk: calling `next` again repeats the read.
 */
export class PageWalk<Item extends Identified> {
  readonly list: List<Item>;
  /** The ids of the items returned. Never undefined: an item without an id counts as new. */
  readonly #seen = new Set<string | undefined>();
  /** The pages being read, by offset: the next one, and those read ahead. */
  readonly #reads = new Map<number, Promise<PageBody<Item>>>();
  /** Aborts the reads of discarded pages. */
  #reading = new AbortController();
  #offset: number;
  /** 0 before the first page. */
  #limit = 0;
  #total = Number.NEGATIVE_INFINITY;
  #stepBack = 0;
  /** Reads since the last new item. */
  #fruitless = 0;
  #ended = false;

  /** @param first The range that the caller asked for, where the walk begins. */
  constructor(list: List<Item>, first: Promise<PageBody<Item>>) {
    this.list = list;
    this.#offset = list.offset;
    this.#reads.set(list.offset, first);
  }

  /**
   * The first page, then the next one with new items, without those already returned; undefined at the end.
   *
   * @throws {UnexpectedResponseError} code `unreadable_list` when the service reports more items, but returns none.
   */
  async next(): Promise<PageBody<Item> | undefined> {
    while (!this.#ended) {
      const isFirst = this.#limit === 0;
      const body = await this.#nextBody();
      const page = this.#take(body);
      if (page.data.length > 0 || isFirst) return page;
      if (!this.#isStuck()) continue;
      this.#fruitless = 0;
      if (!this.#hasAll()) {
        throw unreadable(
          "The list could not be read completely: the service reports more items, but returns nothing new.",
          { operation: this.list.name, status: 200, body },
        );
      }
      this.#end();
    }
    return undefined;
  }

  /** The page's new items. None if the page does not overlap what was read: the walk then steps back. */
  #take(body: PageBody<Item>): PageBody<Item> {
    const { data } = body;
    // One more than the page size, for the item shared with the previous page.
    const size = Math.max(data.length, finite(body.pagination?.limit) ?? 0, 1);
    this.#limit ||= Math.min(maxLimit, size + 1);
    this.#total = finite(body.pagination?.total) ?? Number.POSITIVE_INFINITY;
    this.#fruitless += 1;
    const known = data.findIndex((item) => this.#seen.has(idOf(item)));
    // Items without an id cannot prove the overlap. Returning one twice beats losing it.
    const haveIds = data.every((item) => idOf(item) !== undefined);
    if (haveIds && known === -1 && this.#offset > this.list.offset) {
      this.#retreat();
      return { ...body, data: [] };
    }
    // Items before a known one are new, or sorted differently in each read; or skipped by the caller's offset.
    const first = haveIds && this.list.offset > 0 ? Math.max(0, known) : 0;
    const seenBefore = this.#seen.size;
    const fresh = data.slice(first).filter((item) => {
      const id = idOf(item);
      const isFresh = !this.#seen.has(id);
      if (id !== undefined) this.#seen.add(id);
      return isFresh;
    });
    const isWithinTotal = this.#total !== Number.POSITIVE_INFINITY && this.#offset < this.#total;
    const hasNew = this.#seen.size > seenBefore || (fresh.length > 0 && isWithinTotal);
    if (hasNew) this.#fruitless = 0;
    this.#stepBack = 0;
    this.#offset += Math.max(1, data.length - 1);
    const said: unknown = body.pagination?.hasMore;
    const hasMore = typeof said === "boolean" ? said : data.length >= this.#limit - 1;
    if (!hasMore || (data.length === 0 && this.#hasAll())) this.#end();
    return { ...body, data: fresh };
  }

  /** Discards the pages that were read ahead. */
  discard(): void {
    this.#reads.clear();
    this.#reading.abort();
    this.#reading = new AbortController();
  }

  #retreat(): void {
    this.discard();
    this.#stepBack = Math.max(2 * this.#stepBack, this.#limit - 1);
    this.#offset = Math.max(this.list.offset, this.#offset - this.#stepBack);
  }

  /** Otherwise, a service that keeps repeating the same pages would be read forever. */
  #isStuck(): boolean {
    const rereading = Math.ceil((this.#seen.size + 1) / Math.max(1, this.#limit - 1));
    return this.#fruitless > patience + 2 * rereading;
  }

  #hasAll(): boolean {
    return this.list.offset + this.#seen.size >= this.#total;
  }

  #end(): void {
    this.#ended = true;
    this.discard();
  }

  /** The page at the current offset. The next ones are requested together with it. */
  async #nextBody(): Promise<PageBody<Item>> {
    const offset = this.#offset;
    if (!this.#reads.has(offset)) this.discard();
    const next = this.#read(offset);
    for (let pages = 1; pages <= this.list.prefetch; pages++) {
      const later = offset + pages * (this.#limit - 1);
      if (later < this.#total) this.#read(later);
    }
    try {
      const body = await next;
      this.#reads.delete(offset);
      return body;
    } catch (error) {
      // The list may change before the retry.
      this.discard();
      throw error;
    }
  }

  /** Requests a page, unless it was already requested. */
  #read(offset: number): Promise<PageBody<Item>> {
    const known = this.#reads.get(offset);
    if (known) return known;
    const range = this.#limit > 0 ? { offset, limit: this.#limit } : undefined;
    const body = this.list.read(range, this.#reading.signal);
    // Awaiting the page reports its failure, but the caller may stop before that.
    body.catch(() => {});
    this.#reads.set(offset, body);
    return body;
  }
}

/** The error for a list that may not have been read completely. Reading it changed nothing. */
export function unreadable(
  fact: string,
  facts: Omit<UnexpectedResponseErrorOptions, "code" | "outcome">,
): UnexpectedResponseError {
  return new UnexpectedResponseError(
    `${fact} Try again later. If it persists, check the dashboard; error.body holds the last page.`,
    { ...facts, code: "unreadable_list", outcome: "not_sent" },
  );
}

/** A finite number; undefined for anything else that a service may send. */
function finite(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
