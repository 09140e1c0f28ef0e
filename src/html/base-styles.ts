import { createStyleAsset, type InlineAsset } from './assets.js';

const tokens = `
:root {
  color-scheme: light dark;
  --page: light-dark(#ffffff, #16181d);
  --surface: light-dark(#f6f8fa, #1c1f25);
  --raised: light-dark(#ffffff, #22262d);
  --hover: light-dark(#eef1f4, #2a2f37);
  --line: light-dark(#d6dce2, #343a43);
  --control: light-dark(#818b98, #7a8490);
  --text: light-dark(#1f2328, #e6e8eb);
  --muted: light-dark(#59636e, #a3abb5);
  --accent: light-dark(#0b57d0, #8ab4f8);
  --accent-tint: light-dark(#e8f0fe, #1c2b45);
  --ok: light-dark(#1a6e3c, #7fd6a0);
  --ok-tint: light-dark(#e0f5e7, #14301f);
  --warn: light-dark(#7a4f01, #f2c14e);
  --warn-tint: light-dark(#fdf1d4, #332a12);
  --err: light-dark(#b3261e, #ff9b8f);
  --err-tint: light-dark(#fdeae8, #3a1e1c);
  --shadow: light-dark(#1f23281a, #00000066);
  --code-string: light-dark(#1a6334, #8fd9a8);
  --code-number: light-dark(#0b50b8, #8ab4f8);
  --code-function: light-dark(#7a3e00, #f0c674);
  --mono: ui-monospace, "JetBrains Mono", "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  --radius: 8px;
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }`;

const elements = `
*, ::before, ::after { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text); font: 14px/1.45 var(--sans); overflow-wrap: anywhere; }
h1, h2, h3, h4, p, dl, dd, ul, ol, pre, figure, table { margin: 0; }
h1 { font-size: 24px; line-height: 1.3; font-weight: 650; }
h2 { font-size: 17px; line-height: 1.35; font-weight: 650; }
h3 { font-size: 14px; line-height: 1.4; font-weight: 650; }
ul, ol { padding: 0; list-style: none; }
a { color: var(--accent); text-underline-offset: 2px; }
a:hover { text-decoration-thickness: 2px; }
code, pre, kbd, samp { font: 13px/20px var(--mono); font-variant-ligatures: none; }
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
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
[hidden] { display: none !important; }`;

const parts = `
.visually-hidden { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip-link { position: absolute; inset-inline-start: 8px; top: -60px; z-index: 10; padding: 8px 14px; background: var(--raised);
  border: 2px solid var(--accent); border-radius: 6px; }
.skip-link:focus { top: 8px; }
.muted { color: var(--muted); }
.mono { font-family: var(--mono); font-size: 13px; }
.button { display: inline-flex; align-items: center; gap: 6px; min-height: 32px; padding: 4px 12px; font: inherit; font-weight: 550;
  color: var(--text); background: var(--raised); border: 1px solid var(--control); border-radius: 6px; text-decoration: none; cursor: pointer; }
.button:hover { background: var(--hover); }
.button.primary { color: var(--page); background: var(--accent); border-color: var(--accent); }
.icon { width: 16px; height: 16px; flex: none; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.scroll { overflow-x: auto; }
.facts { display: grid; gap: 2px 16px; }
.facts > div { display: grid; grid-template-columns: minmax(7rem, 11rem) minmax(0, 1fr); gap: 4px 16px; padding: 5px 0; border-bottom: 1px solid var(--line); }
.facts > div:last-child { border-bottom: 0; }
.facts dt { color: var(--muted); }
.facts dd { font: 13px/20px var(--mono); white-space: pre-wrap; } .facts dd:has(.pic) { white-space: normal; }
@media (max-width: 640px) { .facts > div { grid-template-columns: minmax(0, 1fr); gap: 0; } }`;

const conditions = `
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
export const baseStyles: InlineAsset = createStyleAsset((tokens + elements + parts + conditions).trimStart());
