import { createStyleAsset, type InlineAsset } from '#html';

/** Styles of the list: filters, rows, pages. */
export const listStyles: InlineAsset = createStyleAsset(`
.title-line { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 14px; margin-bottom: 14px; } .title-line nav { margin-inline-start: auto; }
.filter-form { display: flex; flex-wrap: wrap; align-items: start; gap: 10px 12px; padding: 12px 14px; background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); }
.filter-form label { display: grid; gap: 2px; font-size: 12px; color: var(--muted); }
.filter-form input, .filter-form select { font-size: 14px; color: var(--text); }
.filter-form .wide { flex: 1 1 calc(100% - 15rem); } .filter-form .wide input { width: 100%; } .filter-form .small input { width: 7.5rem; } .filter-form .tiny input { width: 6rem; }
.filter-form .actions { margin-top: 19px; }
.requests td { padding: 3px 10px; white-space: nowrap; vertical-align: middle; } .requests th { vertical-align: middle; line-height: 24px; padding-block: 4px; }
.requests tbody tr:hover { background: var(--hover); }
.requests a { text-decoration: none; color: var(--text); display: inline-block; min-height: 24px; line-height: 24px; } .requests a:hover { text-decoration: underline; }
.requests td.url { white-space: normal; width: 60%; min-width: 14rem; } .requests td.url a { font: 13px/24px var(--mono); overflow-wrap: anywhere; } .requests td.url > a { display: -webkit-inline-box; -webkit-box-orient: vertical; -webkit-line-clamp: 4; overflow: hidden; vertical-align: middle; }
.requests .query { color: var(--muted); } .requests a.token { color: var(--accent); font-family: var(--mono); font-size: 13px; }
.requests td.route a { font: 13px/24px var(--mono); } .requests td:first-child a { color: inherit; vertical-align: middle; } .requests .status { line-height: 24px; } .requests .breakdown { margin-inline-start: 8px; }
span.status:not(.big)::before { content: "…" / ""; } span.is-ok:not(.big)::before { content: "✓" / ""; } span.is-info:not(.big)::before { content: "↪" / ""; } span.is-warn:not(.big)::before { content: "△" / ""; } span.is-error:not(.big)::before { content: "⊗" / ""; }
.requests .chip { font-size: 13px; font-weight: 550; margin: 1px 10px 1px 0; } .chip.warn { color: var(--warn); } .chip.err { color: var(--err); } .requests td.url > a { margin-inline-end: 8px; }
.requests th a { color: inherit; } .requests .method { color: var(--muted); vertical-align: middle; } .requests td.why { white-space: normal; width: 40%; min-width: 9rem; overflow-wrap: anywhere; } .requests td.minor:not(.route) { max-width: 10rem; overflow: hidden; text-overflow: ellipsis; }
.active { display: flex; flex-wrap: wrap; gap: 6px; margin: -6px 0 14px; padding: 0; list-style: none; } .active li { display: inline-flex; align-items: center; background: var(--accent-tint); border-radius: 6px; padding-inline-start: 8px; overflow-wrap: anywhere; } .active a { min-width: 24px; line-height: 24px; text-align: center; text-decoration: none; }
.chip.mark { color: var(--accent); } .saved { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; margin: -6px 0 14px; > span { display: inline-flex; align-items: center; } form { display: inline-flex; gap: 6px; } button:not(.button) { border: 0; background: none; color: var(--muted); min-width: 24px; min-height: 24px; cursor: pointer; } input { width: 9rem; } a { min-height: 24px; line-height: 24px; } [aria-current] { font-weight: 600; } }
.histogram { margin: 0 0 14px; } .histogram figcaption { font-size: 12px; color: var(--muted); } .histogram svg { display: block; width: 100%; height: 48px; border-bottom: 1px solid var(--line); } .histogram .hit { fill: transparent; } .histogram .all { fill: var(--accent); } .histogram .bad { fill: var(--err); } .histogram a:hover .hit, .histogram a:focus-visible .hit { fill: var(--hover); }
.sparkline { width: 92px; height: 20px; } .sparkline path { fill: none; stroke: var(--accent); stroke-width: 1.5; } .requests.totals td { vertical-align: baseline; } .totals td:first-child { white-space: normal; overflow-wrap: anywhere; min-width: 9rem; } b.err { color: var(--err); } .places mark { background: none; color: inherit; text-decoration: underline wavy; }
.filter-fold { margin-bottom: 16px; } .filter-fold > .filter-form { margin: 0; } .refused { color: var(--err); max-width: 16rem; } .refused.all { flex-basis: 100%; max-width: none; } [aria-invalid] { border-color: var(--err); }
.requests tr:has([data-row]:focus-visible) { background: var(--accent-tint); box-shadow: inset 3px 0 var(--accent); }
@supports selector(::details-content) { @media (min-width: 641px) { .filter-fold > summary { display: none; } .filter-fold::details-content { content-visibility: visible; display: block; block-size: auto; } } }
.requests td input { width: 18px; height: 18px; min-height: 0; margin: 3px 6px 3px 0; vertical-align: middle; }
.pager { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 14px; }
.state { margin-top: 28px; }
@media (max-width: 1200px) { .requests td.minor { white-space: normal; overflow-wrap: anywhere; } .requests td.route { min-width: 9rem; } .requests .breakdown { display: none; } }
@media (max-width: 640px) {
  .title-line nav { margin-inline-start: 0; flex-basis: 100%; }
  .filter-form { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); } .filter-form .wide, .filter-form .actions { grid-column: 1 / -1; } .filter-form label > * { width: 100%; }
  .requests.totals :is(th, td) { min-width: 5rem; padding-inline: 5px; overflow-wrap: normal; } .requests.totals .end { min-width: 0; } .requests.totals .mono { white-space: normal; overflow-wrap: anywhere; }
  .requests:not(.totals) {
    thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
    &, tbody { display: block; } tr { display: flex; flex-wrap: wrap; align-items: center; gap: 0 12px; padding: 6px 10px; border-bottom: 1px solid var(--line); }
    td { border: 0; padding: 0; } td.why { width: auto; min-width: 0; order: 8; &:empty { display: none; } } td.url { width: auto; order: 7; flex: 0 0 100%; min-width: 0; } td.end { order: 9; color: var(--muted); } td:last-child { margin-inline-start: auto; } .breakdown, td[data-unit=""] { display: none; }
    td[data-unit] { font-size: 0; &::after { content: attr(data-unit); font-size: 14px; } }
  }
}
@media print { .title-line nav, [data-live], .filter-fold, .pager, .saved form { display: none; } }`);
