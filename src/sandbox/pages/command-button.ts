import { type Html, html } from "./html.ts";

interface CommandButton {
  readonly name: string;
  /** What it is about, for those who hear the button without what stands around it. */
  readonly about?: string;
  /** Of the control API, after `/_sandbox/`. */
  readonly path: string;
  readonly body?: object;
  /** Whether the page adds the chosen pace as `steps`. */
  readonly isPlayed?: boolean;
  /** Asked before anything is done. */
  readonly question?: string;
  readonly tone?: "primary" | "danger";
}

/** A button that has the sandbox do something. Its id lets the focus stay on it when the page is renewed. */
export function commandButton(button: CommandButton): Html {
  const { name, about, path, body = {}, isPlayed = false, question, tone } = button;
  const json = JSON.stringify(body);
  const id = `${path} ${json}`.replace(/[^\w-]+/g, "-");
  return html`<button type="button" id="${id}" data-post="${path}" data-body="${json}" ${isPlayed && html`data-played`} ${question && html`data-confirm="${question}"`} ${tone && html`class="${tone}"`}>${name}${about && html`<span class="visually-hidden"> ${about}</span>`}</button>`;
}
