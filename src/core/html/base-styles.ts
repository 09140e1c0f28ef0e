import { createStyleAsset, type InlineAsset } from './assets.js';

const styles = `:root {
  color-scheme: light dark;
  --page: light-dark(#ffffff, #101216);
  --surface: light-dark(#f5f6f8, #171a20);
  --line: light-dark(#e2e4ea, #2a2f38);
  --control: light-dark(#858a95, #6d7480);
  --text: light-dark(#14161b, #eceef2);
  --muted: light-dark(#59606b, #a0a8b4);
  --ok: light-dark(#1a6e3c, #7fd6a0);
  --ok-tint: light-dark(#e6f4ea, #16291d);
  --warn: light-dark(#7a4f01, #f2c14e);
  --warn-tint: light-dark(#fdf3dc, #2e2714);
  --err: light-dark(#b3261e, #ff9b8f);
  --err-tint: light-dark(#fdeceb, #37201f);
  --c-framework: light-dark(#70757e, #666b74);
  --c-app: light-dark(#0e94bf, #5fdcf8);
  --c-database: light-dark(#5a2bd8, #8b78fa);
  --c-http: light-dark(#df691e, #c97a12);
  --c-rendering: light-dark(#8a1250, #f78fae);
  --shadow: light-dark(#0000001f, #00000066);
  --code-string: light-dark(#1a6334, #8fd9a8);
  --code-number: light-dark(#0b50b8, #8ab4f8);
  --code-function: light-dark(#7a3e00, #f0c674);
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  --radius: 8px;
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
*, ::before, ::after { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text); font: 14px/20px var(--sans); font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
h1, h2, h3, h4, p, dl, dd, ul, ol, pre, figure, table { margin: 0; }
h1 { font-size: 24px; line-height: 1.3; font-weight: 650; }
h2 { font-size: 17px; line-height: 1.35; font-weight: 650; }
h3 { font-size: 14px; line-height: 1.4; font-weight: 650; }
ul, ol { padding: 0; list-style: none; }
a { color: inherit; text-decoration-color: var(--control); text-underline-offset: 3px; }
a:hover { text-decoration-color: currentColor; }
code, pre, kbd, samp { font: 12.5px/20px var(--mono); font-variant-ligatures: none; }
pre { overflow-x: auto; tab-size: 2; overflow-wrap: normal; }
kbd { border: 1px solid var(--control); border-bottom-width: 2px; border-radius: 4px; padding: 0 4px; font-size: 12px; }
summary { cursor: pointer; min-height: 24px; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: 6px 10px; text-align: start; vertical-align: top; border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--muted); }
caption { text-align: start; padding: 6px 0; color: var(--muted); }
input, select, textarea { font: inherit; color: inherit; background: var(--page); border: 1px solid var(--control);
  border-radius: 6px; padding: 5px 8px; min-height: 32px; max-width: 100%; }
::placeholder { color: var(--muted); opacity: 1; }
:focus-visible { outline: 2px solid var(--text); outline-offset: 2px; border-radius: 4px; }
[hidden] { display: none !important; }
.visually-hidden { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip-link { position: absolute; inset-inline-start: 8px; top: -60px; z-index: 10; padding: 8px 14px; background: var(--page);
  border: 2px solid var(--text); border-radius: 6px; }
.skip-link:focus { top: 8px; }
.muted { color: var(--muted); }
.mono { font-family: var(--mono); font-size: 12.5px; }
.button { display: inline-flex; align-items: center; gap: 6px; min-height: 26px; padding: 2px 10px; font: 500 13px/20px var(--sans);
  color: var(--text); background: var(--page); border: 1px solid var(--control); border-radius: 6px; text-decoration: none; cursor: pointer; }
.button:hover { background: var(--surface); }
.button.primary { color: var(--page); background: var(--text); border-color: var(--text); }
.icon { width: 16px; height: 16px; flex: none; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.c-framework { fill: var(--c-framework); } .thin { fill: var(--line); } .c-app { fill: var(--c-app); } .c-database { fill: var(--c-database); } .c-http { fill: var(--c-http); } .c-rendering { fill: var(--c-rendering); } .c-profiler { fill: var(--muted); } .c-waiting { fill: url(#hatch-app) var(--line); stroke: var(--c-app); } .c-busy { fill: url(#hatch-busy) var(--line); stroke: var(--control); } .c-unaccounted { fill: none; stroke: var(--control); stroke-dasharray: 2 2; }
.brand { display: inline-flex; align-items: center; gap: 9px; min-height: 26px; font-size: 15px; font-weight: 700; letter-spacing: -.01em; white-space: nowrap; color: var(--text); text-decoration: none; }
.brand svg { width: 18px; height: 18px; forced-color-adjust: none; }
.scroll { overflow-x: auto; }
.facts { display: grid; gap: 2px 16px; }
.facts > div { display: grid; grid-template-columns: minmax(6rem, 9rem) minmax(0, 1fr); gap: 4px 16px; padding: 5px 0; border-bottom: 1px solid var(--line); }
.facts > div:last-child { border-bottom: 0; }
.facts dt { color: var(--muted); }
.facts dd { font: 13px/20px var(--mono); white-space: pre-wrap; } .facts dd:has(.pic) { white-space: normal; }
@media (max-width: 640px) { .facts > div { grid-template-columns: minmax(0, 1fr); gap: 0; } }
@media (prefers-reduced-motion: reduce) {
  *, ::before, ::after { animation: none !important; transition: none !important; scroll-behavior: auto !important; }
}
@media (prefers-contrast: more) {
  :root { --line: var(--text); --control: var(--text); --muted: var(--text); }
}
@media (forced-colors: active) {
  .button { border-color: CanvasText; }
  :focus-visible { outline-color: Highlight; }
}
@media print {
  :root, :root[data-theme] { color-scheme: light; }
  body { zoom: .8; }
  .skip-link { display: none !important; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  li, tr, .facts > div { break-inside: avoid-page; } h2, h3, summary { break-after: avoid-page; }
  details::details-content { content-visibility: visible !important; display: block !important; block-size: auto !important; }
  main a[href^="http"]::after { content: " (" attr(href) ")"; }
}`;

/**
 * Styles that all pages share: colours as variables (WCAG AA in light and dark), typography, focus, buttons and fact lists,
 * with support for forced colours, more contrast, reduced motion and print. Pages add their own styles after them.
 */
export const baseStyles: InlineAsset = createStyleAsset(styles);
