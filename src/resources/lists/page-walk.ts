import type { ApiPromise } from "../../http/answer.ts";
import type { ChainId } from "../../wire/fields.ts";
import type { PageBody, PageQuery } from "../../wire/pagination.ts";

/** A list as a resource asks for it. */
export interface List<Item> {
  /** Reads one page. Without a range, the one that the list was asked for. */
  read(range?: PageQuery): ApiPromise<PageBody<Item>>;
  /** Where the list was asked to begin. */
  readonly offset: number;
  /** How many pages to read ahead. */
  readonly prefetch: number;
}

/** The identity of a list's item: its id, or the chain id of a chain. */
export interface Identified {
  readonly id?: string;
  readonly chainId?: ChainId;
}

/** The id of an item; undefined for what has none, which cannot be told from others like it. */
function idOf(item: Identified | null | undefined): string | undefined {
  const id: unknown = item?.id ?? item?.chainId;
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}

const maxLimit = 1000;
/** Reads without anything new, beyond those that rereading the known part takes. */
const patience = 50;

/**
 * Walks a list page by page while it changes. Offsets shift when items are added or leave the filter,
 * so each page begins with the last item of the one before. A page that holds nothing known may have
 * left something out: the walk steps back until it sees a known item, and goes on from there. No item is given twice, and
 * every item that was in the list throughout is given once.
 *
 * A failed read leaves the walk where it was: calling `next` again repeats it.
 */
export class PageWalk<Item extends Identified> {
  readonly #list: List<Item>;
  readonly #seen = new Set<string>();
  /** The pages being read ahead, with the offset that each was asked for. */
  #ahead: { readonly offset: number; readonly body: Promise<PageBody<Item>> }[] = [];
  #offset: number;
  #limit = 0;
  #total = 0;
  #stepBack = 0;
  /** Reads since the last one that brought something new. */
  #fruitless = 0;
  #ended = false;

  constructor(list: List<Item>) {
    this.#list = list;
    this.#offset = list.offset;
  }

  /** Takes the list's first page, which needs no known ground: it is where the walk begins. */
  begin(body: PageBody<Item>): PageBody<Item> {
    // One more than a page, for the item that it shares with the page before.
    const { length } = body.data;
    this.#limit = Math.min(maxLimit, Math.max(length, finite(body.pagination?.limit) ?? 0, 1) + 1);
    return this.#take(body, body.data);
  }

  /** The next page that has something new, without what was given before; undefined at the end. */
  async next(): Promise<PageBody<Item> | undefined> {
    while (!this.#ended) {
      const page = this.#continue(await this.#nextBody());
      if (page.data.length > 0) return page;
    }
    return undefined;
  }

  #continue(body: PageBody<Item>): PageBody<Item> {
    this.#countFruitless(body);
    // Items that cannot be told apart give no ground to stand on: better given twice than lost.
    if (body.data.some((item) => idOf(item) === undefined)) return this.#take(body, body.data);
    const known = body.data.findIndex((item) => this.#isSeen(item));
    if (known === -1 && this.#offset > this.#list.offset) {
      this.#retreat();
      return { ...body, data: [] };
    }
    // Items before a known one are newer than the walk.
    return this.#take(body, body.data.slice(Math.max(0, known)));
  }

  #take(body: PageBody<Item>, data: readonly Item[]): PageBody<Item> {
    const fresh = data.filter((item) => !this.#isSeen(item));
    for (const item of fresh) {
      const id = idOf(item);
      if (id !== undefined) this.#seen.add(id);
    }
    this.#total = totalOf(body);
    const isWithinTotal = this.#total !== Number.POSITIVE_INFINITY && this.#offset < this.#total;
    if (fresh.some((item) => idOf(item) !== undefined) || (fresh.length > 0 && isWithinTotal)) {
      this.#fruitless = 0;
    }
    this.#stepBack = 0;
    this.#offset += Math.max(1, body.data.length - 1);
    const said: unknown = body.pagination?.hasMore;
    const hasMore = typeof said === "boolean" ? said : body.data.length >= this.#limit - 1;
    if (!hasMore || body.data.length === 0) this.#end();
    return { ...body, data: fresh };
  }

  /** An item without an id counts as unknown. */
  #isSeen(item: Item): boolean {
    const id = idOf(item);
    return id !== undefined && this.#seen.has(id);
  }

  #retreat(): void {
    this.#ahead = [];
    this.#stepBack = Math.max(2 * this.#stepBack, this.#limit - 1);
    this.#offset = Math.max(this.#list.offset, this.#offset - this.#stepBack);
  }

  /** A service that keeps giving the same pages would otherwise be read forever. */
  #countFruitless(body: PageBody<Item>): void {
    this.#total = totalOf(body);
    this.#fruitless += 1;
    const rereading = Math.ceil((this.#seen.size + 1) / Math.max(1, this.#limit - 1));
    if (this.#fruitless > patience + 2 * rereading) this.#end();
  }

  #end(): void {
    this.#ended = true;
    this.#ahead = [];
  }

  /** The page at the offset: read ahead, or asked for now together with those after it. */
  async #nextBody(): Promise<PageBody<Item>> {
    this.#lookAhead();
    const [next] = this.#ahead;
    if (next === undefined) throw new RangeError("A walk always has a next page to read.");
    try {
      const body = await next.body;
      this.#ahead.shift();
      return body;
    } catch (error) {
      // Pages that were read ahead are requested again, because the list may have changed by then.
      this.#ahead = [];
      throw error;
    }
  }

  #lookAhead(): void {
    const step = this.#limit - 1;
    if (this.#ahead[0]?.offset !== this.#offset) this.#ahead = [];
    let offset = (this.#ahead.at(-1)?.offset ?? this.#offset - step) + step;
    while (
      this.#ahead.length === 0 ||
      (this.#ahead.length <= this.#list.prefetch && offset < this.#total)
    ) {
      const body = this.#list.read({ offset, limit: this.#limit });
      // Reading this page reports its failure; it may never be read.
      body.catch(() => {});
      this.#ahead.push({ offset, body });
      offset += step;
    }
  }
}

function totalOf(body: PageBody<unknown>): number {
  return finite(body.pagination?.total) ?? Number.POSITIVE_INFINITY;
}

/** A number that can be counted with; a service may send anything. */
function finite(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
