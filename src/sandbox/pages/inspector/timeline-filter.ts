import type { TimelineEntry } from "../../timeline/timeline.ts";
import { type Html, html } from "../html.ts";

/** What a reader of the timeline wants to see. */
export interface TimelineFilter {
  /** Entries of one group of kinds; undefined for all. */
  readonly show: string | undefined;
  /** Entries about the payment or withdrawal with this id; undefined for all. */
  readonly about: string | undefined;
}

const groups: ReadonlyMap<string, readonly TimelineEntry["type"][]> = new Map([
  ["requests", ["request"]],
  ["changes", ["clock", "change", "confirmation", "quotes"]],
  ["webhooks", ["webhook", "attempt"]],
]);

/** In the page's address, so that it can be kept, and works without a script. */
export function filterOf({ searchParams }: URL): TimelineFilter {
  const show = searchParams.get("show") ?? "";
  return {
    show: groups.has(show) ? show : undefined,
    about: searchParams.get("about") || undefined,
  };
}

export function isWanted({ type }: TimelineEntry, { show }: TimelineFilter): boolean {
  return show === undefined || groups.get(show)?.includes(type) === true;
}

/** Links to other filters. */
export function filterLinks({ show, about }: TimelineFilter): Html {
  const link = (name: string, group?: string) => {
    const query = new URLSearchParams({ ...(group && { show: group }), ...(about && { about }) });
    const isCurrent = group === show && html`aria-current="page"`;
    return html`<a href="/_sandbox${query.size > 0 && `?${query}`}" ${isCurrent}>${name}</a>`;
  };
  return html`<nav class="filters" aria-label="What the timeline shows">${link("All")}${link("Requests", "requests")}${link("Changes", "changes")}${link("Webhooks", "webhooks")}${about && html`<a class="chip" href="/_sandbox">only ${about.slice(0, 8)}… <span aria-hidden="true">✕</span><span class="visually-hidden">: show all again</span></a>`}</nav>`;
}
