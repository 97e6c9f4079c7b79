import type { Time } from "../../src/http/time.ts";
import type { Withdrawal } from "../../src/index.ts";

/** What goes wrong with one request to create a withdrawal. */
export type CreationFault =
  | "none"
  | "refused connection"
  | "reset before"
  | "reset after"
  /** No response arrives, and the service commits up to a minute and a half later. */
  | "late"
  | "500 before"
  | "500 after"
  | "HTML 403"
  | "HTML 404"
  | "HTML 502 after"
  | "HTML 200 after"
  | "redirect"
  | "truncated"
  | "no id"
  /** The response has another amount than the request. */
  | "differs"
  | "429"
  | "429 for long"
  /** A proxy repeats the request, and passes on the response to the second copy. */
  | "repeated, 429"
  | "repeated, 409"
  | "422";

/** What goes wrong with one page of the list. */
export type ListFault =
  | "none"
  | "stale"
  | "lagging"
  | "reversed"
  | "shuffled"
  | "capped"
  | "capped and ended"
  | "empty"
  | "first page again"
  | "no word"
  | "endless"
  | "HTML 200"
  | "HTML 403"
  | "500"
  | "429";

export interface Plan {
  readonly creations: readonly CreationFault[];
  readonly lists: readonly ListFault[];
  /** The number of withdrawals of other orders that exist from the beginning. */
  readonly others: number;
  /** The most items that a page has. */
  readonly cap: number;
  /** How long the list hides a new withdrawal, in milliseconds. */
  readonly lagMs: number;
}

/** A clock whose sleeps end at once. */
class SkippingClock implements Time {
  #now = 0;
  readonly now = () => this.#now;
  readonly wallClock = () => Date.parse("2026-01-01") + this.#now;
  readonly random = () => 0.5;
  readonly sleep = async (ms: number) => {
    this.#now += Math.max(0, ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
}

type Stored = Withdrawal & { readonly storedAt: number };

/** A service and the proxies before it, which treat each request according to the plan. */
export class PayoutWorld {
  readonly clock = new SkippingClock();
  readonly stored: Stored[] = [];
  readonly #plan: Plan;
  readonly #cache = new Map<string, string>();
  readonly #late: { readonly dueAt: number; readonly body: string }[] = [];
  #creations = 0;
  #pages = 0;
  /** Whether all faults are over. */
  isCalm = false;

  constructor(plan: Plan) {
    this.#plan = plan;
    for (let index = 0; index < plan.others; index++) {
      this.#store(JSON.stringify({ orderId: `other_${index}`, amountInCents: 100 }), -3_600_000);
    }
  }

  /** The withdrawals of the order. */
  of(orderId: string): Stored[] {
    return this.stored.filter((withdrawal) => withdrawal.orderId === orderId);
  }

  /** Delivers everything that is still pending, and ends all faults. */
  settle(): void {
    this.isCalm = true;
    for (const { body } of this.#late.splice(0)) this.#store(body);
  }

  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    await new Promise((resolve) => setImmediate(resolve));
    const now = this.clock.now();
    for (const late of this.#late.filter(({ dueAt }) => dueAt <= now)) {
      this.#late.splice(this.#late.indexOf(late), 1);
      this.#store(late.body);
    }
    if (init.method === "POST") return this.#create(new URL(url), String(init.body));
    const { searchParams, pathname } = new URL(url);
    if (searchParams.has("limit")) return this.#list(searchParams, init);
    const found = this.stored.find(({ id }) => id === pathname.split("/").at(-1));
    return found
      ? Response.json(found)
      : Response.json({ code: "not_found", message: "No such withdrawal" }, { status: 404 });
  };

  #store(body: string, storedAt = this.clock.now()): Stored {
    const at = new Date(Date.parse("2026-01-01T00:00:00Z") + storedAt).toISOString();
    const stored = {
      merchantId: "m",
      currency: "USD",
      ...JSON.parse(body),
      id: `w${this.stored.length}`,
      status: "pending",
      createdAt: at,
      updatedAt: at,
      storedAt,
    };
    this.stored.unshift(stored);
    return stored;
  }

  #create({ hostname: address, port }: URL, body: string): Response {
    const fault = this.isCalm ? "none" : (this.#plan.creations[this.#creations++] ?? "none");
    const failed = (code: string, facts = {}) =>
      Object.assign(new TypeError("fetch failed"), {
        cause: Object.assign(new Error(code), { code, ...facts }),
      });
    switch (fault) {
      case "refused connection":
        throw failed("ECONNREFUSED", { address, port: Number(port) });
      case "late":
        this.#late.push({ dueAt: this.clock.now() + 90_000, body });
        throw failed("UND_ERR_HEADERS_TIMEOUT");
      case "reset before":
        throw failed("ECONNRESET");
      case "500 before":
        return problem(500);
      case "HTML 403":
        return html(403);
      case "HTML 404":
        return html(404);
      case "redirect":
        return new Response(null, { status: 302, headers: { location: "https://login.example" } });
      case "429":
        return problem(429, { "retry-after": "0" });
      case "429 for long":
        return problem(429, { "retry-after": "3600" });
      case "422":
        return problem(422);
    }
    const stored = this.#store(body);
    switch (fault) {
      case "reset after":
        throw failed("ECONNRESET");
      case "500 after":
        return problem(500);
      case "HTML 502 after":
        return html(502);
      case "HTML 200 after":
        return html(200);
      case "truncated":
        return new Response(JSON.stringify(stored).slice(0, 40), { status: 201 });
      case "no id":
        return Response.json({ ...stored, id: undefined }, { status: 201 });
      case "differs":
        return Response.json({ ...stored, amountInCents: 1 }, { status: 201 });
      case "repeated, 429":
        return problem(429, { "retry-after": "0" });
      case "repeated, 409":
        return problem(409);
      default:
        return Response.json(stored, { status: 201 });
    }
  }

  #list(query: URLSearchParams, init: RequestInit): Response {
    const fault = this.isCalm ? "none" : (this.#plan.lists[this.#pages++] ?? "none");
    const key = query.toString();
    const mayCache = new Headers(init.headers).get("cache-control") !== "no-store";
    const cached = this.#cache.get(key);
    if (fault === "stale" && mayCache && cached) return new Response(cached);
    switch (fault) {
      case "HTML 200":
      case "HTML 403":
        return html(fault === "HTML 200" ? 200 : 403);
      case "500":
        return problem(500);
      case "429":
        return problem(429, { "retry-after": "0" });
    }
    const answer = JSON.stringify(this.#page(fault, Number(query.get("offset"))));
    if (cached === undefined) this.#cache.set(key, answer);
    return new Response(answer);
  }

  #page(fault: ListFault, asked: number): object {
    const { lagMs, cap } = this.#plan;
    const shownUntil = fault === "lagging" ? this.clock.now() - lagMs : Number.POSITIVE_INFINITY;
    let all = this.stored.filter(({ storedAt }) => storedAt <= shownUntil);
    const total = all.length;
    if (fault === "reversed") all = all.toReversed();
    if (fault === "shuffled") all = [...all.slice(total / 2), ...all.slice(0, total / 2)];
    const offset = fault === "first page again" ? 0 : asked;
    const isCapped = fault === "capped" || fault === "capped and ended";
    const data = fault === "empty" ? [] : all.slice(offset, offset + (isCapped ? 1 : cap));
    const hasMore = fault === "endless" || offset + data.length < total;
    const isEnded = fault === "capped and ended" || fault === "empty";
    return {
      data,
      pagination: {
        total,
        limit: 1000,
        offset,
        ...(fault !== "no word" && { hasMore: hasMore && !isEnded }),
      },
    };
  }
}

function html(status: number): Response {
  const headers = { "content-type": "text/html" };
  return new Response("<!doctype html><h1>Sorry</h1>", { status, headers });
}

function problem(status: number, headers: Record<string, string> = {}): Response {
  return Response.json({ code: "problem", message: `Status ${status}` }, { status, headers });
}
