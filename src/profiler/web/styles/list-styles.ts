import { createStyleAsset, type InlineAsset } from '#html';

const titleLine = `
.title-line { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 12px; min-height: 42px; padding: 5px 24px; }
.title-line :is(h1, h2) { font-size: 17px; line-height: 24px; letter-spacing: -.015em; } .title-line .total { font-weight: 600; color: var(--muted); } .title-line .warn { color: var(--warn); }
.button.add { border-style: dashed; color: var(--muted); } .button .err { color: var(--err); } .button .warn { color: var(--text); }
.active { display: contents; list-style: none; } .active li { display: inline-flex; align-items: center; border-radius: 6px; background: var(--text); color: var(--page); padding-inline-start: 10px; line-height: 26px; overflow-wrap: anywhere; } .active a { min-width: 26px; line-height: 26px; text-align: center; text-decoration: none; }
.histogram { display: flex; align-items: center; gap: 12px; margin: 0 0 0 auto; } .histogram figcaption { color: var(--muted); } .histogram svg { display: block; } .histogram .hit { fill: transparent; } .histogram .all { fill: var(--c-framework); } .histogram .bad { fill: var(--err); } .histogram a:hover .hit, .histogram a:focus-visible .hit { fill: var(--line); }
.title-line [data-live] { margin-inline-start: 0; } .title-line [data-live] .button[aria-pressed=true] { background: var(--text); color: var(--page); } [data-live] .button::before { content: "●"; font-size: 10px; }
.title-line:not(:has(.histogram)) [data-live] { margin-inline-start: auto; }`;

const filterFold = `
.filter-fold > .filter-form { position: absolute; z-index: 5; inset-inline-start: 0; top: 32px; width: min(38rem, calc(100vw - 48px)); display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 10px 12px; padding: 14px; background: var(--page); border: 1px solid var(--control); border-radius: 10px; box-shadow: 0 12px 40px var(--shadow); }
.filter-form label { display: grid; gap: 2px; font-size: 12px; color: var(--muted); } .filter-form :is(input, select) { width: 100%; min-height: 28px; padding: 2px 8px; font-size: 13px; color: var(--text); } .filter-form .wide, .filter-form .actions, .refused.all { grid-column: 1 / -1; }
.refused { color: var(--err); } [aria-invalid] { border-color: var(--err); } .places mark { background: none; color: inherit; text-decoration: underline wavy; }`;

const rows = `
.requests { table-layout: fixed; } .requests th { white-space: nowrap; font: 500 12px/16px var(--sans); color: var(--muted); height: 26px; padding: 4px 6px; vertical-align: middle; } .requests td { height: 32px; padding: 0 6px; border: 0; vertical-align: middle; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.requests:not(.totals) td:nth-child(n + 6) { text-align: end; font-variant-numeric: tabular-nums; }
.requests tbody tr:hover { background: var(--surface); } .requests tr:has([data-row][aria-current]), .requests tr:has([data-row]:focus-visible) { background: var(--surface); box-shadow: inset 3px 0 var(--text); }
.requests a { text-decoration: none; } .requests a:hover { text-decoration: underline; } .requests th a { color: inherit; }
.requests .st { width: 88px; padding-inline-start: 24px; position: relative; overflow: visible; } .requests .me { width: 66px; color: var(--muted); } .requests .ch { width: 43%; overflow: visible; } .requests .ms { width: 78px; } .requests .ag { width: 90px; padding-inline-end: 24px; color: var(--muted); } .requests :is(.us, .tk) { display: none; width: 92px; color: var(--muted); }
td.st a { display: inline-flex; color: var(--muted); } td.st a::before { content: "…" / ""; width: 16px; font-weight: 700; } .requests .is-ok::before { content: "✓" / ""; } .requests .is-info::before { content: "↪" / ""; } .requests .is-warn { color: var(--warn); font-weight: 600; } .requests .is-warn::before { content: "!" / ""; } .requests .is-error { color: var(--err); font-weight: 600; } .requests .is-error::before { content: "✕" / ""; }
.requests input[type=checkbox] { position: absolute; inset-inline-start: 4px; top: 8px; width: 16px; height: 16px; min-height: 0; margin: 0; opacity: 0; } .requests tr:is(:hover, :focus-within) input, .requests input:is(:checked, :focus-visible) { opacity: 1; }
.requests td:is(.me, .tk) { font: 12.5px/20px var(--mono); } td:has(> .pinned) { display: flex; align-items: center; gap: 8px; } .u { display: block; min-width: 0; overflow: hidden; text-overflow: ellipsis; font: 12.5px/24px var(--mono); } .u:has(> span + span) { display: flex; } .u > span { overflow: hidden; text-overflow: ellipsis; } .u > span + span { flex: none; max-width: 60%; } .u .query, .pinned { color: var(--muted); }
tr:hover .tear { fill: var(--surface); } .gap { flex: none; height: 1px; } .at { display: none; }
.say { display: flex; gap: 7px; position: relative; min-width: 0; font-size: 12.5px; line-height: 18px; padding: 0 6px; &.warn { color: var(--warn); } &.err { color: var(--err); } code { flex: none; font: 12px/18px var(--mono); } > span { overflow: hidden; text-overflow: ellipsis; } } .say.plate { margin-inline: auto 4px; background: var(--page); border-radius: 4px; font-weight: 600; }
.page .empty, .page > .note { margin: 14px 24px; } .pager { display: flex; flex-wrap: wrap; gap: 8px; margin: 18px 24px; } .state { margin: 28px 24px 0; }
@container page (min-width: 1500px) { .requests :is(.us, .tk) { display: table-cell; } .requests .tk { padding-inline-end: 24px; } .requests .ag { padding-inline-end: 6px; } }
@container page (min-width: 1900px) { .at { display: block; } .at ~ .gap { display: none; } .at + .plate { margin: 0; background: none; font-weight: 400; } }
@media (forced-colors: active) { .histogram svg { forced-color-adjust: none; } }`;

const totals = `
.totals { margin: 0 24px; width: calc(100% - 48px); table-layout: auto; } .totals td { height: auto; padding: 8px 10px 8px 0; border-bottom: 1px solid var(--line); overflow: visible; } .totals th { padding-inline: 0 10px; } .totals td:first-child { white-space: normal; overflow-wrap: anywhere; min-width: 9rem; } .totals b.err { color: var(--err); } .totals .ch { width: 38%; } .totals .lane { height: 24px; } .totals .lane .req-bar { inset: 4px 0 auto; height: 16px; } .totals .range { fill: var(--c-framework); opacity: .45; } .totals .median { fill: var(--text); }
.groups { padding: 0 24px; } .groups li { display: grid; grid-template-columns: 64px minmax(0, 1fr) minmax(0, 24%) 78px 118px 90px; gap: 0 20px; align-items: center; padding: 9px 0; border-bottom: 1px solid var(--line); } .groups .count { all: unset; font: 650 22px/28px var(--sans); letter-spacing: -.03em; color: var(--muted); } .groups .message { font-size: 15px; font-weight: 600; text-decoration: none; } .groups .message:hover { text-decoration: underline; } .groups .where { color: var(--muted); font-size: 13px; } .groups .is-failed .count { color: var(--err); }
.groups .where:not(div) { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; } .sparkline { width: 78px; height: 20px; vertical-align: middle; } .sparkline path { stroke: var(--control); stroke-width: 6; shape-rendering: crispEdges; } .sparkline .base { stroke: var(--line); stroke-width: 1; } .sparkline .bad { stroke: var(--err); }
@container page (max-width: 1000px) { .groups li > :is(:nth-child(3), :nth-child(5)) { display: none; } .groups li { grid-template-columns: 64px minmax(0, 1fr) 78px 90px; } }
@container page (max-width: 720px) { .totals :is(th, td):is(:nth-child(5), :nth-child(n + 7)) { display: none; } .totals td:first-child { min-width: 5rem; } .totals { margin: 0 14px; width: calc(100% - 28px); } .totals .ch, .groups li > :nth-child(n + 3) { display: none; } .groups { padding: 0 14px; } .groups li { grid-template-columns: 44px minmax(0, 1fr); } }`;

const narrow = `
@container page (max-width: 1000px) { .histogram figcaption, .opt { display: none; } .requests .ch { width: 36%; } }
@container page (max-width: 820px) { .requests .ch { width: 32%; } .requests .me { width: 58px; } .requests .ms { width: 72px; } .lane > .req-bar { inset: 24px 0 auto; height: 5px; overflow: hidden; } .lane .c-unaccounted { fill: var(--line); stroke: none; } .lane .gap { display: none; } .lane .say { padding: 0; margin: 0 0 9px; font-weight: 400; background: none; white-space: nowrap; } .axis text:not(:first-child):not(:last-child) { display: none; } }
@container page (max-width: 720px) {
  .title-line { padding-inline: 14px; } .histogram { display: none; } .filter-fold > .filter-form { position: static; width: 100%; grid-template-columns: repeat(2, minmax(0, 1fr)); } .filter-fold[open] { flex-basis: 100%; }
  .requests:not(.totals) { &, tbody { display: block; } thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
    tr { display: grid; grid-template-columns: 62px minmax(0, 1fr) 70px; align-items: center; padding: 6px 14px; border-bottom: 1px solid var(--line); } td { height: auto; padding: 0 !important; } :is(.me, .ag) { display: none; } .ch { grid-column: 1 / -1; grid-row: 2; width: auto; } .st, .ms { width: auto; } input[type=checkbox] { inset-inline-start: -13px; top: 4px; } }
  .lane { display: block; height: auto; min-height: 14px; padding-top: 10px; background: none; border: 0; } .lane > .req-bar { inset: 3px 0 auto; height: 5px; overflow: hidden; } .lane .gap { display: none; } .lane .say { display: block; padding: 2px 0 0; font-weight: 400; white-space: normal; }
  .pager, .state { margin-inline: 14px; }
}
@media print { [data-live], .filter-fold, .pager, .title-line .button { display: none; } }`;

/** Styles of the list: title line, rows on one axis, pages. */
export const listStyles: InlineAsset = createStyleAsset(titleLine + rows + narrow);

/** Styles of the filters, in addition to those of the list. */
export const filterStyles: InlineAsset = createStyleAsset(filterFold);

/** Styles of the routes and the errors, in addition to those of the list. */
export const totalsStyles: InlineAsset = createStyleAsset(totals);
