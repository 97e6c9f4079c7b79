import * as z from "zod/mini";
import { Http } from "../../../src/http/http.ts";
import { configure } from "../../../src/options.ts";
import { list, type PagePromise } from "../../../src/resources/lists/page.ts";
import type { ListOperation } from "../../../src/wire/operation.ts";
import type { PageBody } from "../../../src/wire/pagination.ts";
import { withdrawalListQuerySchema } from "../../../src/wire/withdrawal.ts";

export interface Item {
  readonly id: string;
  readonly orderId?: string;
  readonly createdAt?: string;
}

/** A change to a list between two reads: items are added in front and removed anywhere. */
export interface Change {
  readonly added: number;
  /** Positions, as fractions of the list's length. */
  readonly removed: readonly number[];
}

const operation: ListOperation<Item> = {
  name: "items.list",
  method: "GET",
  path: "/items",
  credential: "secretKey",
  replay: "safe",
  query: withdrawalListQuerySchema,
  successStatus: 200,
  response: z.custom<PageBody<Item>>(),
  essential: ["data"],
};

/** A list, newest first, that may change before each read, and a client to read it. */
export class ChangingList {
  items: Item[];
  /** The offset and limit of every read. */
  readonly reads: { offset: number; limit: number }[] = [];
  /** Called before each read; may throw to make it fail. */
  beforeRead: () => void | Promise<void> = () => {};
  #next: number;

  constructor(length: number) {
    this.items = Array.from({ length }, (_, index) => ({ id: `old-${index}` }));
    this.#next = 0;
  }

  apply({ added, removed }: Change): void {
    for (const fraction of removed) {
      this.items.splice(Math.floor(fraction * this.items.length), 1);
    }
    for (let count = 0; count < added; count++) this.items.unshift({ id: `new-${this.#next++}` });
  }

  page(offset: number, limit: number): PageBody<Item> {
    const total = this.items.length;
    const data = this.items.slice(offset, offset + limit);
    return {
      data,
      pagination: {
        total,
        limit,
        offset,
        hasMore: offset + data.length < total,
        totalPages: Math.ceil(total / limit),
        currentPage: Math.floor(offset / limit) + 1,
      },
    };
  }

  /** Serves the list to a client. */
  readonly fetch = async (url: string) => {
    const { searchParams } = new URL(url);
    const offset = Number(searchParams.get("offset") ?? 0);
    const limit = Number(searchParams.get("limit") ?? 100);
    this.reads.push({ offset, limit });
    await this.beforeRead();
    return Response.json(this.page(offset, limit));
  };

  /** Reads the list through the HTTP core. */
  list(query: { limit?: number; offset?: number } = {}, prefetch = 0): PagePromise<Item> {
    const options = {
      secretKey: "sk_test_1",
      environment: "sandbox",
      maxRetries: 0,
      fetch: this.fetch,
    } as const;
    return list(new Http(configure(options, {})), operation, { ...query }, { prefetch });
  }
}

export const ids = (items: readonly { id: string }[]) => items.map(({ id }) => id);

export async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}
