import { createStyleAsset, type InlineAsset } from '#html';

const chain = `
:root { --code-keyword: light-dark(#8a2fb0, #d2a8ff); --code-type: light-dark(#0f6070, #76d4e4); --code-comment: light-dark(#5c656f, #9aa4af); }
@media (prefers-contrast: more) { :root { --code-comment: var(--text); } }
.card { background: var(--raised); border: 1px solid var(--line); border-radius: var(--radius); }
.chain { display: grid; gap: 2px; padding: 6px; }
.chain li { position: relative; }
.chain li + li::before { content: ""; position: absolute; inset-inline-start: 23px; top: -14px; height: 18px; border-inline-start: 2px solid var(--line); }
.chain a { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 2px 12px; padding: 8px 12px; border-radius: 6px; color: var(--text); text-decoration: none; }
.chain a:hover { background: var(--hover); }
.chain b { font: 600 13px/20px var(--mono); }
.chain .text { grid-column: 2; color: var(--muted); display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden; }
.chain .number { z-index: 1; } .chain .tag { margin-inline-start: 8px; }
.number { display: inline-grid; place-items: center; min-width: 24px; height: 24px; padding-inline: 6px; border-radius: 6px; background: var(--hover);
  color: var(--text); font: 600 12px/1 var(--mono); }
.outer > .error-head .number, .chain .is-outer .number { background: var(--err-tint); color: var(--err); }
.tag { font-size: 12px; font-weight: 600; color: var(--muted); border: 1px solid var(--line); border-radius: 999px; padding: 1px 9px; display: inline-block; white-space: nowrap; }
.tag.seen { color: var(--err); border-color: currentColor; }
.error { margin-top: 16px; scroll-margin-top: 12px; overflow: clip; }
.error-head { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 12px; padding: 16px 20px 0; }
.error-head h3 { display: flex; align-items: center; gap: 10px; font-size: 15px; }
.error-head .class { font-family: var(--mono); }
.error > .message { padding: 6px 20px 14px; font-size: 15px; white-space: pre-wrap; }
.properties, .gathered { border-top: 1px solid var(--line); padding: 14px 20px; }
.properties h4, .gathered h4 { margin-bottom: 6px; color: var(--muted); }
.gathered > ol > li { margin-top: 6px; }
.gathered > ol > li > details > summary { padding-block: 4px; }`;

const frames = `
.frames > li { border-top: 1px solid var(--line); }
.run .frames { border-top: 1px solid var(--line); }
.run .frames > li:first-child { border-top: 0; }
.frame-head { display: grid; grid-template-columns: 8px 1.8em minmax(0, max-content) minmax(0, 1fr); align-items: baseline; gap: 4px 12px;
  min-height: 44px; padding: 11px 20px; font: 13px/20px var(--mono); list-style: none; }
.frame-head::before { content: ""; width: 7px; height: 7px; align-self: center; }
summary.frame-head { &::before { border: solid var(--muted); border-width: 0 1.5px 1.5px 0; rotate: -45deg; } [open] > &::before { rotate: 45deg; } &:hover { background: var(--hover); } &:focus-visible { outline-offset: -2px; } }
.frame-index { color: var(--muted); text-align: end; }
.frame.app .frame-function { font-weight: 650; }
.frame-function .async { font-weight: 400; color: var(--code-keyword); }
.frame-place { color: var(--muted); text-align: end; }
.frame.app .frame-place { color: var(--text); }
.frame:not(.app) .frame-head { min-height: 36px; padding-block: 7px; }
.run > details > .frame-head { grid-template-columns: 8px 1.8em minmax(0, 1fr); color: var(--muted); font-family: var(--sans); }
.dashes { border-top: 2px dashed var(--control); align-self: center; }
.run .frames { background: var(--surface); }
.run-count { font-weight: 600; color: var(--text); }
.code { border-top: 1px solid var(--line); background: var(--surface); padding-block: 6px; line-height: 26px; }
.code:focus-visible { outline-offset: -2px; }
.code code { display: block; width: max-content; min-width: 100%; }
.row { display: block; line-height: 26px; padding-inline-end: 20px; }
.row:nth-child(even) { background: color-mix(in srgb, var(--line) 18%, transparent); }
.row.hit { background: var(--err-tint); box-shadow: inset 3px 0 var(--err); }
.no { display: inline-block; width: 5.5em; padding-inline-end: 1.4em; text-align: end; color: var(--muted); user-select: none; -webkit-user-select: none; }
.hit .no { color: var(--err); font-weight: 700; }
.code mark { color: inherit; background: none; text-decoration: underline wavy var(--err) 1.5px; text-underline-offset: 4px; }
.ck { color: var(--code-keyword); } .cs { color: var(--code-string); } .cn { color: var(--code-number); }
.cf { color: var(--code-function); } .ct { color: var(--code-type); } .cc { color: var(--code-comment); font-style: italic; }
.frame-foot { display: flex; flex-wrap: wrap; justify-content: end; gap: 4px 16px; padding: 4px 20px; border-top: 1px solid var(--line); }
.frame-foot:empty { display: none; }
.edit { display: inline-flex; align-items: center; gap: 6px; min-height: 28px; }
.changed { color: var(--warn); margin-inline-end: auto; }`;

const conditions = `
.frame-note { color: var(--muted); padding: 6px 20px; }
@media (max-width: 640px) {
  .frame-head { grid-template-columns: 8px 1.4em minmax(0, 1fr); padding-inline: 16px; }
  .frame-place { grid-column: 3; text-align: start; }
  .error-head, .error > .message, .frame-note, .properties, .gathered { padding-inline: 16px; }
  .no { width: 3.8em; padding-inline-end: .8em; }
}
@media (forced-colors: active) { .card { border-color: CanvasText; } .row.hit { outline: 1px solid Mark; } }
@media print { .error { overflow: visible; break-inside: auto; } .code, .run .frames { background: none; } .frame-head { min-height: 0; padding-block: 4px; } .frame-foot { display: none; } .row, .code code { white-space: pre-wrap; width: auto; } }`;

/** Styles of `ErrorChain`, with the colours of `baseStyles`. */
export const chainStyles: InlineAsset = createStyleAsset((chain + frames + conditions).trimStart());
