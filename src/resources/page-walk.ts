import type { PageBody } from "../wire/pagination.ts";

/** Reads one page of a list. Without a limit, as many items as the list was asked for. */
export type ReadPage<Item> = (offset: number, limit?: number) => Promise<PageBody<Item>>;

interface Identified {
  readonly id: string;
}

/** A page being read ahead, and the offset it was asked for. */
interface Ahead<Item> {
  readonly offset: number;
  readonly body: Promise<PageBody<Item>>;
}

const maxLimit = 1000;
/** Reads without anything new, beyond those that rereading the known part takes. */
const patience = 12;

/**
 * Walks a list page by page while it changes. Offsets shift when items are added or leave the filter,
 * so each page begins with the last item of the one before. A page that holds nothing known may have
 * left something out: the walk steps back until it sees known ground, and goes on from there. What was
 * given once is not given again. So everything that was in the list throughout is given exactly once.
 *
 * A failed read leaves the walk where it was: calling `next` again repeats it.
 */
export class PageWalk<Item extends Identified> {
  readonly #read: ReadPage<Item>;
  readonly #prefetch: number;
  readonly #seen = new Set<string>();
  #ahead: Ahead<Item>[] = [];
  /** Where the next page begins. */
  #offset: number;
  #limit = 0;
  #total = 0;
  #stepBack = 0;
  /** Reads since the last one that brought something new. */
  #fruitless = 0;
  #ended = false;

  constructor(
    read: ReadPage<Item>,
    options: { readonly offset: number; readonly prefetch: number },
  ) {
    this.#read = read;
    this.#offset = options.offset;
    this.#prefetch = options.prefetch;
  }

  /** Takes the list's first page, which needs no known ground: it is where the walk begins. */
  begin(body: PageBody<Item>): PageBody<Item> {
    // One more than a page, for the item that it shares with the page before.
    this.#limit = Math.min(maxLimit, Math.max(body.data.length, body.pagination?.limit ?? 0) + 1);
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
    const known = body.data.findIndex(({ id }) => this.#seen.has(id));
    this.#countFruitless(body);
    if (known === -1 && this.#offset > 0) {
      this.#retreat();
      return { ...body, data: [] };
    }
    // What stands before known ground is newer than the walk.
    return this.#take(body, body.data.slice(Math.max(0, known)));
  }

  #take(body: PageBody<Item>, data: readonly Item[]): PageBody<Item> {
    const fresh = data.filter(({ id }) => !this.#seen.has(id));
    for (const { id } of fresh) this.#seen.add(id);
    if (fresh.length > 0) this.#fruitless = 0;
    this.#total = totalOf(body);
    this.#stepBack = 0;
    this.#offset += Math.max(1, body.data.length - 1);
    const hasMore = body.pagination?.hasMore ?? body.data.length >= this.#limit - 1;
    if (!hasMore || body.data.length === 0) this.#end();
    return { ...body, data: fresh };
  }

  #retreat(): void {
    this.#ahead = [];
    this.#stepBack = Math.max(2 * this.#stepBack, this.#limit - 1);
    this.#offset = Math.max(0, this.#offset - this.#stepBack);
  }

  /** A service that keeps giving the same pages would otherwise be read for ever. */
  #countFruitless(body: PageBody<Item>): void {
    const total = totalOf(body);
    this.#fruitless = total === this.#total ? this.#fruitless + 1 : 0;
    this.#total = total;
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
      // What was read ahead of the failure is asked for again, too: by then the list has moved on.
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
      (this.#ahead.length <= this.#prefetch && offset < this.#total)
    ) {
      const body = this.#read(offset, this.#limit);
      // Whoever comes to this page handles its failure; nobody may ever come.
      body.catch(() => {});
      this.#ahead.push({ offset, body });
      offset += step;
    }
  }
}

function totalOf(body: PageBody<unknown>): number {
  return body.pagination?.total ?? Number.POSITIVE_INFINITY;
}
