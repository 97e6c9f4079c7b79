/** The brand's settings: the page's custom properties, and their defaults. */
const properties = {
  accent: "light-dark(#1d55d0, #8db4ff)",
  "accent-text": "light-dark(#fff, #0b1a38)",
  surface: "light-dark(#fff, #171e29)",
  sunken: "light-dark(#f0f2f5, #1f2835)",
  raised: "light-dark(#fff, #35435a)",
  line: "light-dark(#dfe3e9, #2e3949)",
  text: "light-dark(#16202e, #eaeff6)",
  quiet: "light-dark(#566275, #a3b0c2)",
  good: "light-dark(#0c7044, #67d69c)",
  "good-soft": "light-dark(#e0f5ea, #143226)",
  bad: "light-dark(#b3261e, #ff9d94)",
  "bad-soft": "light-dark(#fdeceb, #3c1d1c)",
  warn: "light-dark(#865400, #f3c66a)",
  "warn-soft": "light-dark(#fdf4e0, #2a2212)",
  radius: "1.25rem",
  "control-radius": "0.7rem",
  shadow: "0 1px 2px rgb(16 24 40 / 0.06), 0 12px 32px -12px rgb(16 24 40 / 0.18)",
  font: "system-ui, sans-serif",
  mono: "ui-monospace, monospace",
} as const;

const definitions = Object.entries(properties).map(
  ([name, value]) => `--${name}: var(--settlekit-${name}, ${value});`,
);

/**
 * The card inherits none of the page's text rules, which could make an address unusable. As a query container, it has no
 * width of its own: invisible text before it, which may wrap, gives one to a centred or floating element.
 */
const css = `
:host { display: block; color-scheme: light dark; writing-mode: horizontal-tb; }
:host([theme="light"]) { color-scheme: light; }
:host([theme="dark"]) { color-scheme: dark; }
:host([hidden]), [hidden] { display: none !important; }
:host::before { content: ". ."; display: block; height: 0; overflow: hidden; visibility: hidden; white-space: normal; font-size: medium; word-spacing: 36em; }
*, *::before, *::after { box-sizing: border-box; }
.card {
  all: initial;
  ${definitions.join("")}
  display: block;
  box-sizing: border-box;
  color-scheme: inherit;
  visibility: inherit;
  pointer-events: inherit;
  user-select: text;
  -webkit-user-select: text;
  container-type: inline-size;
  overflow: hidden;
  padding: clamp(0.5em, 5%, 2em);
  border: 1px solid var(--line);
  border-radius: var(--radius);
  background: var(--surface);
  box-shadow: var(--shadow);
  color: var(--text);
  font: medium/1.5 var(--font);
  font-variant-numeric: tabular-nums;
  overflow-wrap: break-word;
}
.card:focus { outline: 0; }
h1, h2, p, ol, dl, dd, fieldset, legend { margin: 0; padding: 0; border: 0; min-width: 0; }
ol { list-style: none; }
code { font: 0.9375em/1.5 var(--mono); white-space: pre-line; word-break: break-all; text-wrap: balance; }
.quiet, .order, .countdown, .segments span { color: var(--quiet); font-size: 0.9375em; }
h2, legend, dt, .steps, label[for] { color: var(--quiet); font-size: 0.875em; font-weight: 400; }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.merchant { display: flex; flex-wrap: wrap; align-items: center; gap: 0.6em; margin-bottom: 1.1em; font-weight: 550; overflow-wrap: anywhere; }
.monogram {
  display: grid; place-items: center; width: 2.8em; height: 2.8em; border-radius: var(--control-radius);
  background: color-mix(in srgb, var(--accent) 12%, var(--surface)); color: var(--accent); font-size: 0.8em; font-weight: 700;
}
.order { margin-inline-start: auto; font-weight: 400; }
h1 {
  font-size: clamp(min(1.75em, 16cqi), 11cqi, 3.25em); line-height: 1.1; font-weight: 650;
  letter-spacing: -0.025em;
}
[data-tone="good"] { --tone: var(--good); --soft: var(--good-soft); }
[data-tone="bad"] { --tone: var(--bad); --soft: var(--bad-soft); }
.status { position: relative; display: flex; align-items: baseline; gap: 0.6em; margin-top: 0.5em; color: var(--tone); font-weight: 550; }
[data-phase="problem"] .status { font-weight: 400; }
.dot { flex: none; width: 0.65em; height: 0.65em; border-radius: 50%; background: var(--tone, var(--accent)); }
[data-phase="loading"] .dot { background: var(--quiet); }
.notice { margin-top: 0.8em; padding: 0.65em 0.95em; border-radius: var(--control-radius); background: var(--warn-soft); color: var(--warn); font-size: 0.9375em; }

.skeleton { display: grid; grid-template: 2.25em 3.6em 4px 4.4em 11em 3em / 11em minmax(0, 1fr); gap: 2em 1.5em; margin-top: 0.6em; }
.skeleton * { border-radius: var(--control-radius); background: var(--sunken); }
.skeleton :is(:nth-child(-n + 3), :last-child) { grid-column: 1 / -1; }
.skeleton :nth-child(-n + 2) { width: 9em; }
.skeleton:has(~ .pay button[data-uuid]) { margin-bottom: 7.4em; }

.steps { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 0.55em; margin-top: 1.4em; hyphens: auto; }
.steps li::before { content: ""; display: block; height: 4px; margin-bottom: 0.4em; border-radius: 2px; background: var(--line); }
.steps [data-done]::before { background: var(--accent); }
.steps [aria-current]::before { background: linear-gradient(90deg, var(--accent) 50%, var(--line) 50%); }
.steps [aria-current] { color: var(--text); font-weight: 600; }
[data-tone="good"] .steps li::before { background: var(--good); }

.choices { display: flex; flex-wrap: wrap; gap: 1em; margin-top: 1.5em; }
.choices > * { flex: auto; }
.choices > * + * { flex: 99 1 16em; }
legend, dt, label[for] { display: block; margin-bottom: 0.35em; }
.segments { display: flex; flex-wrap: wrap; padding: 0.25em; gap: 0.25em; border-radius: calc(var(--control-radius) + 0.3em); background: var(--sunken); }
.segments label { position: relative; flex: auto; display: flex; min-width: 2.75em; min-height: 2.75em; cursor: pointer; }
.segments input { position: absolute; width: 100%; height: 100%; margin: 0; opacity: 0; pointer-events: none; }
.segments span {
  display: grid; flex: 1; place-items: center; padding: 0.35em 0.4em; border-radius: var(--control-radius);
  font-weight: 550; text-align: center; overflow-wrap: anywhere;
}
.segments label:hover span { color: var(--text); }
.segments :checked + span { background: var(--raised); color: var(--text); box-shadow: inset 0 0 0 2px var(--accent); }
.segments :focus-visible + span, .field:focus-within { outline: 3px solid var(--accent); outline-offset: 1px; }

.transfer { display: grid; grid-template-columns: auto minmax(0, 1fr); align-items: center; gap: 1.5em; margin-top: 1.5em; }
.transfer + .quiet { margin-top: 1em; }
.qr { width: 11em; max-width: 100%; aspect-ratio: 1; border: 1px solid var(--line); border-radius: calc(var(--control-radius) + 0.3em); background: #fff; overflow: hidden; }
.qr svg { display: block; width: 100%; height: 100%; fill: #000; }
[data-loading] :is(.qr, .amount, code) { background: var(--sunken); border-color: transparent; border-radius: var(--control-radius); }
[data-loading] :is(.amount, code) { min-height: 1.5em; }
[data-loading] .countdown { visibility: hidden; }
.facts > div + div { margin-top: 0.9em; padding-top: 0.9em; border-top: 1px solid var(--line); }
.facts dd { display: flex; flex-wrap: wrap; align-items: center; gap: 0.75em; }
.facts dd > :first-child, .summary p { flex: 1 1 7em; min-width: 0; }
.facts dd > .quiet, .wallet-line[data-bad] p { flex-basis: 100%; }
.facts dd > .amount { flex-basis: min-content; }
section + .facts, .wallet-line + .facts { margin-top: 1.25em; }
.amount { font-size: clamp(1.1em, 7cqi, 1.35em); font-weight: 650; line-height: 1.3; }
[dir="rtl"] :is(code, .amount, input) { text-align: right; }

button, a {
  display: inline-flex; align-items: center; justify-content: center; gap: 0.6em; min-height: 2.75em; min-width: 2.75em;
  padding: 0.4em 1em; border: 1px solid var(--line); border-radius: var(--control-radius); background: var(--surface);
  color: var(--text); font: inherit; font-weight: 550; text-decoration: none; cursor: pointer;
}
button:hover, a:hover { border-color: var(--accent); }
button[aria-disabled] { border-color: var(--line); color: var(--quiet); background: var(--sunken); cursor: not-allowed; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.primary { border-color: var(--accent); background: var(--accent); color: var(--accent-text); }
.copy { min-height: 3.15em; min-width: 3.15em; padding: 0.35em 0.85em; font-size: 0.875em; }
.pay > button { margin-block-start: 1em; margin-inline-end: 0.6em; }

.countdown { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4em 1em; margin-top: 1em; }
[role="timer"] { display: inline-block; min-width: 2.6em; color: var(--text); font-weight: 600; }
.track { flex: 1 3em; height: 4px; border-radius: 2px; background: var(--sunken); overflow: hidden; }
.track > * { display: block; height: 100%; background: var(--accent); transform: scaleX(var(--share, 1)); transform-origin: left; }
[dir="rtl"] .steps li::before, [dir="rtl"] .track { scale: -1 1; }

.from-wallet { margin-top: 1.5em; padding-top: 1.25em; border-top: 1px solid var(--line); }
.wallets { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(13em, 100%), 1fr)); gap: 0.6em; margin-top: 0.5em; }
.wallets button { justify-content: flex-start; text-align: start; overflow-wrap: anywhere; }
.wallets :is(svg, canvas) { flex: none; width: 1.5em; height: 1.5em; border-radius: 0.35em; }
.wallet-line { display: flex; flex-wrap: wrap; align-items: center; gap: 0.6em 1em; margin-top: 1em; padding: 0.7em 0.9em; border-radius: var(--control-radius); background: var(--sunken); }
.wallet-line p { flex: 1 1 14em; }
.wallet-line[data-bad] { background: var(--bad-soft); color: var(--bad); }

.deposit { margin-top: 1.5em; }
.field { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5em; padding: 0.3em; padding-inline-start: 0.9em; border: 1px solid var(--quiet); border-radius: calc(var(--control-radius) + 0.3em); }
.field input { flex: 99 1 4em; min-width: 0; min-height: 2.3em; border: 0; outline: 0; background: none; color: inherit; font: 1.2em var(--font); }
.field button { flex: auto; }
.error:not(:empty) { margin-top: 0.4em; color: var(--bad); font-size: 0.9375em; }

.confirming { margin-top: 1.5em; padding: 1.25em; border-radius: var(--control-radius); background: var(--sunken); }
.count { font-weight: 600; }
progress { display: block; width: 100%; height: 0.5em; margin: 0.6em 0; border: 0; border-radius: 0.25em; background: var(--line); color: var(--accent); overflow: hidden; appearance: none; }
progress::-webkit-progress-bar { background: var(--line); }
progress::-webkit-progress-value { background: var(--accent); }
progress::-moz-progress-bar { background: var(--accent); }
.summary { display: flex; flex-wrap: wrap; align-items: center; gap: 1em; margin-top: 1.5em; padding: 1.1em 1.25em; border-radius: var(--control-radius); background: var(--soft); }
.mark { flex: none; width: 2.5em; height: 2.5em; fill: none; stroke: var(--tone); stroke-width: 2.2; stroke-linecap: round; stroke-linejoin: round; }
[data-tone="good"] .mark.bad, [data-tone="bad"] .mark.good { display: none; }
.return { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5em 0.75em; margin-top: 1.25em; }
.return .quiet { min-width: 2.5em; }

@container (max-width: 30em) {
  .choices { display: grid; }
  .transfer { grid-template-columns: minmax(0, 1fr); }
  .skeleton { grid-template: 3.5em 3em 4px 5em 5em 11em 10em 3em / minmax(0, 1fr); }
  .qr, .skeleton :nth-child(6) { width: 11em; margin: 0 auto; }
  .steps { font-size: 0.8125em; }
  .steps [aria-current] { font-weight: 400; }
  .wallet-line button, .return button { flex: auto; }
  .order, .return a { flex-basis: 100%; margin: 0; }
}
@container (max-width: 15em) {
  .steps { grid-template-columns: 1fr; }
  button, .confirming, .wallet-line, .summary { padding: 0.5em; hyphens: auto; }
}
@media (prefers-reduced-motion: no-preference) {
  [data-tone="open"] .dot, .skeleton { animation: breathe 2s ease-in-out infinite; }
  .track > * { transition: transform 0.25s linear; }
  .steps li::before { transition: background 0.4s; }
  .mark { animation: arrive 0.35s ease-out; }
}
@media print { :host { color-scheme: light !important; } }
@keyframes breathe { 50% { opacity: 0.3; } }
@keyframes arrive { from { transform: scale(0.6); opacity: 0; } }
@media (forced-colors: active) {
  .segments :checked + span { border: 2px solid Highlight; }
  .segments, .skeleton *, .notice, .wallet-line, .confirming, .summary { outline: 1px solid; }
  button[aria-disabled] { color: GrayText; border-color: GrayText; }
  .mark { stroke: currentColor; }
  .dot, .steps li::before, .track > *, .qr, progress { forced-color-adjust: none; }
}
`;

const styleSheets = new WeakMap<Document, CSSStyleSheet>();

/**
 * The style sheet shared by all elements of a document; undefined for a document without a window. Constructed, because
 * a strict content security policy forbids inline styles.
 */
export function styleSheetFor(document: Document): CSSStyleSheet | undefined {
  const { defaultView } = document;
  const known = styleSheets.get(document);
  if (known || !defaultView) return known;
  const sheet = new defaultView.CSSStyleSheet();
  sheet.replaceSync(css);
  styleSheets.set(document, sheet);
  return sheet;
}
