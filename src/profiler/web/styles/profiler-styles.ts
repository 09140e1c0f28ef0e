import { createStyleAsset, type InlineAsset } from '#html';

const frame = `
h1, h2, h3, h4 { text-wrap: balance; }
h4 { font-size: 13px; line-height: 1.4; font-weight: 650; }
.bar-top { display: flex; align-items: center; gap: 4px; height: 44px; padding: 0 24px; border-bottom: 1px solid var(--line); } .bar-top .brand { margin-inline-end: 12px; }
.bar-top nav { display: flex; gap: 2px; } .bar-top nav a { padding: 4px 10px; line-height: 20px; border-radius: 6px; color: var(--muted); text-decoration: none; white-space: nowrap; } .bar-top nav a:hover { color: var(--text); } .bar-top nav a[aria-current] { background: var(--surface); color: var(--text); }
.bar-top form { margin-inline-start: auto; } .bar-top input { width: min(330px, 30vw); min-height: 28px; padding: 3px 10px; font: 13px/20px var(--mono); } .tools { display: flex; gap: 2px; }
.quiet { border-color: transparent; background: none; padding-inline: 8px; } .quiet .icon { width: 18px; height: 18px; }
[data-theme-toggle] .icon { display: none; } :root:not([data-theme]) [data-theme-toggle] .icon:first-child, :root[data-theme="light"] [data-theme-toggle] .icon:nth-child(2), :root[data-theme="dark"] [data-theme-toggle] .icon:last-child { display: block; }
.drop { position: relative; > summary { list-style: none; &.button:not(.quiet)::after { content: ""; width: 6px; height: 6px; border: solid; border-width: 0 1.5px 1.5px 0; rotate: 45deg; translate: 0 -2px; margin-inline-start: 6px; } }
li > a, li button { display: flex; align-items: center; width: 100%; min-height: 32px; padding: 4px 10px; border: 0; border-radius: 5px; font: inherit; color: var(--text); background: none; text-decoration: none; white-space: nowrap; cursor: pointer; &:hover { background: var(--hover); text-decoration: none; } &[aria-current] { font-weight: 600; } } }
.page { padding: 20px 24px 48px; container: page / inline-size; } .page:has(> :is(.title-line, .record-head, .pair)) { padding: 0 0 40px; } 
.chip { display: inline-block; flex: none; border-radius: 5px; padding: 0 7px; font: 600 12px/20px var(--sans); white-space: nowrap; color: var(--tone); background: var(--tint); }
.tone-ok, .is-ok { --tone: var(--ok); --tint: var(--ok-tint); } .tone-info, .is-info { --tone: var(--text); --tint: var(--surface); } .tone-warn, .is-warn { --tone: var(--warn); --tint: var(--warn-tint); } .tone-error, .is-error { --tone: var(--err); --tint: var(--err-tint); } .is-neutral { --tone: var(--muted); --tint: var(--hover); }
[class*="tone-"] { color: var(--tone); }
.copy { font: inherit; font-size: 12px; margin-inline-start: 8px; padding: 1px 8px; min-height: 24px; min-width: 24px; border: 1px solid var(--control); border-radius: 5px; color: var(--muted); background: transparent; cursor: pointer; }
.copy:hover { background: var(--hover); color: var(--text); }
.count { color: var(--muted); }
.note { border-radius: 6px; padding: 8px 14px; background: var(--surface); &.note-ok { background: var(--ok-tint); } &.note-info { background: var(--surface); } &.note-warn { background: var(--warn-tint); } &.note-error { background: var(--err-tint); } } .empty { color: var(--muted); }
.end { text-align: end; } td.end { font-variant-numeric: tabular-nums; white-space: nowrap; }
.text { white-space: pre-wrap; }
.actions { display: flex; flex-wrap: wrap; gap: 8px; }`;

const narrow = `
@container page (max-width: 900px) { .minor { display: none; } }
@media (max-width: 640px) {
  .bar-top { padding: 0 14px; } .page { padding-inline: 14px; } .tools .button + .button { display: none; } .bar-top form { display: none; } .tools { margin-inline-start: auto; } .bar-top nav a { padding-inline: 7px; } .bar-top .brand { margin-inline-end: 4px; } .bar-top .opt { display: none; }
}
@media (max-width: 400px) { .brand { font-size: 0; gap: 0; } }
@media print { .bar-top, .actions, .copy, .drop, .miss ul, nav:not(.filters), .filters a:not([aria-current]), form[method=post] { display: none !important; } .page { padding: 0; max-width: none; } }`;

/** Styles of the pages for missing records and confirmations. */
export const missStyles: InlineAsset = createStyleAsset(
  `.miss { max-width: 46rem; margin: 8vh auto; } .miss h1 { margin: 12px 0; } .miss p { margin-bottom: 12px; font-size: 15px; } .miss .actions { align-items: end; } .miss ul { margin-bottom: 20px; display: flex; flex-wrap: wrap; gap: 8px; }`,
);

/** Styles of all profiler pages in addition to `baseStyles`. */
export const profilerStyles: InlineAsset = createStyleAsset(frame + narrow);

/** Bars, axes and legends of requests. */
export const categoryStyles: InlineAsset = createStyleAsset(`
.lane { display: flex; align-items: center; position: relative; height: 32px; background: repeating-linear-gradient(90deg, var(--line) 0 1px, transparent 1px 20%); border-inline-end: 1px solid var(--line); }
.req-bar { position: absolute; inset: 6px 0 auto; width: 100%; height: 20px; overflow: visible; } .req-bar rect { height: 100%; shape-rendering: crispEdges; } .tears { overflow: visible; } .tear { fill: var(--page); }
.axis { display: block; overflow: visible; } .axis text { font: 500 12px/16px var(--sans); fill: var(--muted); }
.legend { display: flex; flex-wrap: wrap; gap: 2px 20px; margin-top: 10px; font-size: 13px; color: var(--muted); } .legend li { display: flex; align-items: center; gap: 7px; } .legend strong { color: var(--text); font-weight: 600; } svg.key { flex: none; }
@media (forced-colors: active) { .req-bar, svg.key { forced-color-adjust: none; } }`);
