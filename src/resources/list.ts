import { InvalidRequestError } from "../errors.ts";
import type { Http } from "../http/http.ts";
import type { RequestOptions } from "../http/settings.ts";
import type { Operation } from "../wire/operations.ts";
import type { PageBody } from "../wire/pagination.ts";
import { checkObject, refused } from "./arguments.ts";
import { PagePromise } from "./page.ts";
import type { Identified } from "./page-walk.ts";

/** What can be set for one list. */
export interface ListOptions extends RequestOptions {
  /** How many pages to read ahead while iterating, 0 to 16. Default 0. */
  prefetch?: number | undefined;
}

type ListQuery = Readonly<Record<string, string | number | undefined>> & {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
};

interface Listing<Item> {
  readonly operation: Operation<PageBody<Item>>;
  readonly path?: Readonly<Record<string, string>>;
  readonly query: ListQuery;
}

/** @throws {InvalidRequestError} when a filter is unknown, or `limit`, `offset` or `prefetch` is out of bounds. */
export function list<Item extends Identified>(
  http: Http,
  { operation, path = {}, query }: Listing<Item>,
  options: ListOptions = {},
): PagePromise<Item> {
  const read = (range: ListQuery) => {
    const fill = () => {
      checkFilters(operation, checkObject(query));
      return { path, query: checkedQuery(query, range, options) };
    };
    return http.call(operation, fill, options);
  };
  return new PagePromise({
    first: read({}),
    read: (offset, limit) => read(limit === undefined ? { offset } : { offset, limit }),
    offset: query.offset ?? 0,
    prefetch: options.prefetch ?? 0,
  });
}

/** A filter that the service does not know would give the whole list, and look as if it had worked. */
function checkFilters({ query: schema }: Operation<unknown>, query: ListQuery): void {
  if (schema?.form.kind !== "object") return;
  const names = schema.form.fields.map(({ name }) => name);
  const given = Object.keys(query).filter((name) => query[name] !== undefined);
  const unknown = given.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const cure = unknown === "orderId" ? "Use findByOrderId" : `There are ${names.join(", ")}`;
  throw new InvalidRequestError(`Lists have no filter "${unknown}". ${cure}.`, {
    code: "invalid_request",
    param: unknown,
  });
}

function checkedQuery(query: ListQuery, range: ListQuery, { prefetch }: ListOptions): ListQuery {
  const { limit, offset } = query;
  check("limit", limit, 1, 1000);
  check("offset", offset, 0, Number.MAX_SAFE_INTEGER);
  check("prefetch", prefetch, 0, 16);
  return { ...query, ...range };
}

function check(param: string, value: number | undefined, least: number, most: number): void {
  if (value === undefined) return;
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  const bounds = most === Number.MAX_SAFE_INTEGER ? `${least} on` : `${least} to ${most}`;
  throw refused(param, `must be a whole number from ${bounds}`, value);
}
