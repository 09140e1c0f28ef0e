import { snapshotStyles } from '#core/dump';
import { chainStyles } from '#core/errors';
import { baseStyles, createStyleAsset, type InlineAsset } from '#core/html';

/** Styles in order, keyed by the classes that need them. Every page gets the first and the last. */
const styles: Readonly<Record<string, string>> = {
  'skip-link': `
.lane { display: flex; align-items: center; position: relative; height: 32px; background: repeating-linear-gradient(90deg, var(--line) 0 1px, transparent 1px 20%); border-inline-end: 1px solid var(--line); }
.req-bar { position: absolute; inset: 6px 0 auto; width: 100%; height: 20px; overflow: visible; } .req-bar rect { height: 100%; shape-rendering: crispEdges; } .tears { overflow: visible; } .tear { fill: var(--page); }
.axis { display: block; overflow: visible; } .axis text { font: 500 12px/16px var(--sans); fill: var(--muted); }
.legend { display: flex; flex-wrap: wrap; gap: 2px 20px; margin-top: 10px; font-size: 13px; color: var(--muted); } .legend li { display: flex; align-items: center; gap: 7px; } .legend strong { color: var(--text); font-weight: 600; } svg.key { flex: none; }
@media (forced-colors: active) { .req-bar, svg.key { forced-color-adjust: none; } }`,
  'section|opens|metrics|findings': `
details.section > summary, .opens > summary { display: flex; align-items: baseline; gap: 8px; list-style: none; } details.section > summary > * { display: inline; font-size: 14px; }
details.section > summary::before, .opens > summary::before { content: ""; width: 6px; height: 6px; flex: none; border: solid var(--muted); border-width: 0 1.5px 1.5px 0; rotate: -45deg; translate: 0 -2px; }
details.section[open] > summary::before, .opens[open] > summary::before { rotate: 45deg; }
.metrics { display: flex; flex-wrap: wrap; gap: 2px 16px; color: var(--muted); } .metrics > div { display: flex; flex-direction: row-reverse; gap: 5px; } .metrics dd { font-weight: 600; color: var(--text); } .metrics [class*=tone-] dd { color: var(--tone); }
.findings { border-block: 1px solid var(--line); } .findings li { display: flex; gap: 8px; padding: 5px 0; background: none; border-radius: 0; } .findings li + li { border-top: 1px solid var(--line); } .findings p { color: var(--muted); } .findings strong { font-weight: 500; }
.findings .icon { margin-top: 2px; color: var(--tone, var(--muted)); } .findings .chip { align-self: start; } h3 + .findings { border-top: 0; margin: 0; }`,
  'facts|value': `
.value b { font-weight: 400; color: light-dark(#8a2fb0, #d2a8ff); }
.facts { gap: 0 28px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 460px), 1fr)); }
.facts > div, .facts > div:last-child { padding: 4px 0; border-bottom: 1px solid var(--line); } .facts > .wide { grid-column: 1 / -1; }
.facts dd { font: inherit; white-space: normal; } .facts .value { white-space: pre-wrap; } .facts .value:has(.pic) { white-space: normal; }`,
  'scroll|listing|filters|long|opens|side-by-side': `
.scroll thead th { background: var(--page); font: 500 12px/16px var(--sans); white-space: nowrap; } .scroll :is(th, td):first-child { padding-inline-start: 0; } .scroll :is(th, td):last-child { padding-inline-end: 0; }
.scroll td { overflow-wrap: break-word; } .scroll tr:not(:has(.grow)) > :last-child { overflow-wrap: anywhere; } .scroll .end, .scroll .end .text { white-space: nowrap; } .scroll .grow { width: 99%; } .scroll tr:has(.grow) > td:not(.grow, .end) { min-width: 7rem; } .scroll table:not(.requests) .grow { min-width: 14rem; overflow-wrap: anywhere; }
.scroll :is(.row-error, .row-warn) > td:first-child { padding-inline-start: 12px; } .row-error > td:first-child { box-shadow: inset 3px 0 var(--err); } .row-warn > td:first-child { box-shadow: inset 3px 0 var(--warn); }
.share { display: block; width: 100%; min-width: 7rem; height: 6px; margin-top: 3px; } @media (forced-colors: active) { .share { forced-color-adjust: none; } }
.opens > :not(summary) { margin: 8px 0 8px 17px; } .below { margin-top: 4px; }
tr:has(> td > .opens):hover { background: var(--surface); } tr:has(> td > .opens[open]) { background: none; }
.long > summary { list-style: none; } .long > summary::-webkit-details-marker { display: none; }
.long .more { color: var(--text); font-size: 12px; } .long[open] > summary { color: var(--muted); } .long[open] > summary .text { display: none; }
.listing { border: 1px solid var(--line); border-radius: var(--radius); overflow: hidden; }
.listing figcaption { display: flex; align-items: center; justify-content: space-between; min-height: 34px; padding: 3px 14px; background: var(--surface); border-bottom: 1px solid var(--line); color: var(--muted); }
.listing > p { padding: 4px 14px 10px; } .listing b { font-weight: 400; color: light-dark(#8a2fb0, #d2a8ff); } .listing .copy { flex: none; }
.listing pre { padding: 12px 14px; max-height: 32rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
.filters { display: flex; flex-wrap: wrap; align-items: center; gap: 2px; }
.filters a { display: inline-flex; gap: 6px; align-items: center; min-height: 28px; padding: 2px 10px; border-radius: 6px; color: var(--text); text-decoration: none; }
.filters a:hover { background: var(--surface); }
.filters a[aria-current] { background: var(--surface); color: var(--text); }
.side-by-side { display: grid; gap: 0 28px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); } .side-by-side > div { min-width: 0; display: grid; align-content: start; } .side-by-side .section { margin-top: 24px; } .side-by-side h3 { padding-bottom: 6px; border-bottom: 1px solid var(--line); } .side-by-side .section > * + * { margin-top: 0; }
@container page (min-width: 900px) { .aside { grid-template-columns: minmax(0, 1fr) 264px; } } .aside > div { grid-template-columns: minmax(0, 1fr); } .aside h3 { border: 0; } .aside > :last-child .facts > div { display: block; border: 0; } .listing mark { background: none; color: inherit; text-decoration: underline wavy var(--err) 1px; text-underline-offset: 4px; }
@media (min-width: 1200px) { .panel .scroll { overflow: visible; } .panel .scroll thead th { position: sticky; top: 0; z-index: 1; } }
@media print { .scroll { overflow: visible; } .scroll thead th { position: static; } .listing pre { max-height: none; } }`,
  timeline: `
.timeline { --name: 34%; } .timeline .rows { position: relative; } .timeline table { position: relative; table-layout: fixed; } .timeline :is(th, td) { height: 30px; padding: 0 8px 0 0; border: 0; vertical-align: middle; } .timeline thead th { height: 26px; font: 500 12px/16px var(--sans); } .timeline th:first-child { width: var(--name); } .timeline th.end { width: 76px; }
.timeline tbody th { position: relative; font-weight: 400; color: var(--text); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } .timeline tbody th a { text-decoration: none; line-height: 24px; } .timeline tbody a:hover { text-decoration: underline; } .timeline tbody tr:hover { background: var(--surface); } .timeline small { color: var(--muted); } .timeline .chip { margin-inline-end: 8px; font-size: 12px; }
.timeline .lane { position: relative; height: 30px; overflow: clip; background: none; border: 0; direction: ltr; } .timeline .lane svg { position: absolute; top: 8px; left: 0; width: 100%; height: 14px; } .timeline rect, .map rect { shape-rendering: crispEdges; } .hull { fill: none; stroke: var(--control); } .comb rect { stroke: var(--page); stroke-width: 1px; shape-rendering: auto; } .timeline .hair { width: 2px; stroke: none; }
.grid { position: absolute; top: 26px; left: var(--name); width: calc(100% - var(--name) - 84px); height: calc(100% - 26px); } .is-whole .grid { width: calc(100% - var(--name) - 160px); } .grid line { stroke: var(--line); }
.timeline .axis { width: 100%; direction: ltr; }
.map { position: relative; height: 34px; margin-bottom: 6px; padding: 5px 0; background: var(--surface); border-radius: 6px; overflow: clip; } .map svg { display: block; width: 100%; height: 30px; } .tick { fill: var(--muted); } .tick.tone-warn { fill: var(--warn); } .tick.tone-error { fill: var(--err); }
.is-whole thead th { position: sticky; top: 0; z-index: 2; background: var(--page); box-shadow: 0 1px var(--line); }
.depth-1 { padding-inline-start: 14px !important; } .depth-2 { padding-inline-start: 28px !important; } .depth-3 { padding-inline-start: 42px !important; } .depth-4 { padding-inline-start: 56px !important; } .depth-5 { padding-inline-start: 70px !important; } .depth-6 { padding-inline-start: 84px !important; }
@container page (max-width: 720px) { .timeline { --name: 46%; } .timeline.is-whole :is(th, td):nth-child(3) { display: none; } .is-whole .grid { width: calc(100% - var(--name) - 84px); } .axis text:not(:first-child):not(:last-child) { display: none; } }
@media (forced-colors: active) { .lane svg, .map { forced-color-adjust: none; } }`,
  document: `
.document { width: 100%; height: 26rem; border: 1px solid var(--line); border-radius: var(--radius); background: #fff; }`,
  flames: `
.flames { overflow-x: auto; } .flames > svg { display: block; width: 100%; min-width: 480px; }
.flames rect { fill: color-mix(in srgb, var(--c-framework) 18%, var(--page)); stroke: var(--page); } .flames .own rect { fill: color-mix(in srgb, var(--c-app) 32%, var(--page)); }
.flames text { fill: var(--text); font: 12px/1 var(--sans, system-ui); } .flames a:hover rect { stroke: var(--text); }
.flame-key { display: flex; gap: 16px; color: var(--muted); } .flame-key span::before { content: ""; display: inline-block; width: 10px; height: 10px; margin-inline-end: 6px; background: color-mix(in srgb, var(--c-framework) 40%, var(--page)); } .flame-key .own::before { background: var(--c-app); }
@media (forced-colors: active) { .flames { forced-color-adjust: none; } }`,
  'drop filter-fold': `
.filter-fold > .filter-form { position: absolute; z-index: 5; inset-inline-start: 0; top: 32px; width: min(38rem, calc(100vw - 48px)); display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 10px 12px; padding: 14px; background: var(--page); border: 1px solid var(--control); border-radius: 10px; box-shadow: 0 12px 40px var(--shadow); }
.filter-form label { display: grid; gap: 2px; font-size: 12px; color: var(--muted); } .filter-form :is(input, select) { width: 100%; min-height: 28px; padding: 2px 8px; font-size: 13px; color: var(--text); } .filter-form :is(.wide, .actions) { grid-column: 1 / -1; }
.refused { color: var(--err); } [aria-invalid] { border-color: var(--err); } .places mark { background: none; color: inherit; text-decoration: underline wavy; }`,
  'title-line': `
.title-line { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 12px; min-height: 40px; padding: 4px 24px; }
.title-line :is(h1, h2) { font-size: 17px; line-height: 24px; letter-spacing: -.015em; } .title-line .total { font-weight: 600; color: var(--muted); } .title-line .warn { color: var(--warn); }
.button.add { border-style: dashed; color: var(--muted); } .button .err { color: var(--err); } .button .warn { color: var(--text); }
.active { display: contents; list-style: none; } .active li { display: inline-flex; align-items: center; border-radius: 6px; background: var(--text); color: var(--page); padding-inline-start: 10px; line-height: 26px; overflow-wrap: anywhere; } .active a { min-width: 26px; line-height: 26px; text-align: center; text-decoration: none; }
.histogram { display: flex; align-items: center; gap: 12px; margin: 0 0 0 auto; } .histogram figcaption { color: var(--muted); } .histogram svg { display: block; } .histogram .hit { fill: transparent; } .histogram .all { fill: var(--c-framework); } .histogram .bad { fill: var(--err); } .histogram a:hover .hit, .histogram a:focus-visible .hit { fill: var(--line); }
.title-line [data-live] .button[aria-pressed=true] { background: var(--text); color: var(--page); } [data-live] .button::before { content: "●"; font-size: 10px; }
.title-line:not(:has(.histogram)) [data-live] { margin-inline-start: auto; }
.requests { table-layout: fixed; } .requests th { white-space: nowrap; font: 500 12px/16px var(--sans); color: var(--muted); height: 26px; padding: 4px 6px; vertical-align: middle; } .requests td { height: 32px; padding: 0 6px; border: 0; vertical-align: middle; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.requests tbody tr:hover { background: var(--surface); } .requests tr:has([data-row][aria-current]), .requests tr:has([data-row]:focus-visible) { background: var(--surface); box-shadow: inset 3px 0 var(--text); }
.requests a { text-decoration: none; } .requests a:hover { text-decoration: underline; }
.requests .st { width: 88px; padding-inline-start: 24px; position: relative; overflow: visible; } .requests .me { width: 66px; color: var(--muted); } .requests .ch { width: 43%; overflow: visible; } .requests .ms { width: 78px; } .requests .ag { width: 90px; padding-inline-end: 24px; color: var(--muted); } .requests :is(.us, .tk) { display: none; width: 92px; color: var(--muted); }
td.st a { display: inline-flex; color: var(--muted); } td.st a::before { content: "…" / ""; width: 16px; font-weight: 700; } .requests .is-ok::before { content: "✓" / ""; } .requests .is-info::before { content: "↪" / ""; } .requests .is-warn { color: var(--warn); font-weight: 600; } .requests .is-warn::before { content: "!" / ""; } .requests .is-error { color: var(--err); font-weight: 600; } .requests .is-error::before { content: "✕" / ""; }
.requests input[type=checkbox] { position: absolute; inset-inline-start: 4px; top: 8px; width: 16px; height: 16px; min-height: 0; margin: 0; opacity: 0; } .requests tr:is(:hover, :focus-within) input, .requests input:is(:checked, :focus-visible) { opacity: 1; }
.requests td:is(.me, .tk) { font: 12.5px/20px var(--mono); } td:has(> .pinned) { display: flex; align-items: center; gap: 8px; } :is(.u, [data-row]) { display: block; min-width: 0; overflow: hidden; text-overflow: ellipsis; font: 12.5px/24px var(--mono); } :is(.u, [data-row]):has(> span + span) { display: flex; } :is(.u, [data-row]) > span { overflow: hidden; text-overflow: ellipsis; } :is(.u, [data-row]) > span + span { flex: none; max-width: 60%; } :is(.u, [data-row]) .query, .pinned { color: var(--muted); }
tr:hover .tear { fill: var(--surface); } .gap { flex: none; height: 1px; } .at { display: none; }
.say { display: flex; gap: 7px; position: relative; min-width: 0; font-size: 12.5px; line-height: 18px; padding: 0 6px; &.warn { color: var(--warn); } &.err { color: var(--err); } code { flex: none; font: 12px/18px var(--mono); } > span { overflow: hidden; text-overflow: ellipsis; } } .say.plate { margin-inline: auto 4px; background: var(--page); border-radius: 4px; font-weight: 600; }
.page .empty, .page > .note { margin: 14px 24px; } .page > .legend { margin: 0 24px; gap: 0 14px; font-size: 12px; line-height: 16px; justify-content: end; li { gap: 5px; } } .pager { display: flex; flex-wrap: wrap; gap: 8px; margin: 18px 24px; } .state { margin: 28px 24px 0; }
@container page (min-width: 1500px) { .requests :is(.us, .tk) { display: table-cell; } .requests .tk { padding-inline-end: 24px; } .requests .ag { padding-inline-end: 6px; } }
@container page (min-width: 1900px) { .at { display: block; } .at ~ .gap { display: none; } .at + .plate { margin: 0; background: none; font-weight: 400; } }
@media (forced-colors: active) { .histogram svg { forced-color-adjust: none; } }
@container page (max-width: 1000px) { .histogram figcaption, .opt, .page > .legend li:nth-child(n + 7) { display: none; } .requests .ch { width: 36%; } }
@container page (max-width: 820px) { .requests .ch { width: 32%; } .requests .me { width: 58px; } .requests .ms { width: 72px; } .lane > .req-bar { inset: 24px 0 auto; height: 5px; overflow: hidden; } .lane :is(.c-waiting, .c-busy, .c-unaccounted) { fill: var(--line); stroke: none; } .lane .gap { display: none; } .lane .say { padding: 0; margin: 0 0 9px; font-weight: 400; background: none; white-space: nowrap; } .axis text:not(:first-child):not(:last-child) { display: none; } }
@container page (max-width: 720px) {
  .title-line { padding-inline: 14px; } .histogram { display: none; } .filter-fold > .filter-form { position: static; width: 100%; grid-template-columns: repeat(2, minmax(0, 1fr)); } .filter-fold[open] { flex-basis: 100%; }
  .requests:not(.totals) { &, tbody { display: block; } thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
    tr { display: grid; grid-template-columns: 62px minmax(0, 1fr) 70px; align-items: center; padding: 6px 14px; border-bottom: 1px solid var(--line); } td { height: auto; padding: 0 !important; } :is(.me, .ag) { display: none; } .ch { grid-column: 1 / -1; grid-row: 2; width: auto; } .st, .ms { width: auto; } input[type=checkbox] { inset-inline-start: -13px; top: 4px; } }
  .lane { display: block; height: auto; min-height: 14px; padding-top: 10px; background: none; border: 0; } .lane > .req-bar { inset: 3px 0 auto; } .lane .say { display: block; padding: 2px 0 0; white-space: normal; }
  .pager, .state { margin-inline: 14px; }
}
@media print { [data-live], .filter-fold, .pager, .title-line .button { display: none; } }`,
  'requests totals|groups': `
.totals { margin: 0 24px; width: calc(100% - 48px); table-layout: auto; } .totals td { height: auto; padding: 8px 10px 8px 0; border-bottom: 1px solid var(--line); overflow: visible; } .totals th { padding-inline: 0 10px; } .totals td:first-child { white-space: normal; overflow-wrap: anywhere; min-width: 9rem; } .totals b.err { color: var(--err); } .totals .ch { width: 38%; } .totals .lane { height: 24px; } .totals .lane .req-bar { inset: 4px 0 auto; height: 16px; } .totals .range { fill: var(--c-framework); opacity: .45; } .totals .median { fill: var(--text); }
.groups { padding: 0 24px; } .groups li { display: grid; grid-template-columns: 64px minmax(0, 1fr) minmax(0, 24%) 78px 118px 90px; gap: 0 20px; align-items: center; padding: 9px 0; border-bottom: 1px solid var(--line); } .groups .count { all: unset; font: 650 22px/28px var(--sans); letter-spacing: -.03em; color: var(--muted); } .groups .message { font-size: 15px; font-weight: 600; text-decoration: none; } .groups .message:hover { text-decoration: underline; } .groups .where { color: var(--muted); font-size: 13px; } .groups .is-failed .count { color: var(--err); }
.groups .where:not(div) { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; } .sparkline { width: 78px; height: 20px; vertical-align: middle; } .sparkline path { stroke: var(--control); stroke-width: 6; shape-rendering: crispEdges; } .sparkline .base { stroke: var(--line); stroke-width: 1; } .sparkline .bad { stroke: var(--err); }
@container page (max-width: 1000px) { .groups li > :is(:nth-child(3), :nth-child(5)) { display: none; } .groups li { grid-template-columns: 64px minmax(0, 1fr) 78px 90px; } }
@container page (max-width: 720px) { .totals :is(th, td):is(:nth-child(5), :nth-child(n + 7)) { display: none; } .totals td:first-child { min-width: 5rem; } .totals { margin: 0 14px; width: calc(100% - 28px); } .totals .ch, .groups li > :nth-child(n + 3) { display: none; } .groups { padding: 0 14px; } .groups li { grid-template-columns: 44px minmax(0, 1fr); } }`,
  'panel|comparison panel': `
.record-head { padding: 0 24px; border-bottom: 1px solid var(--line); } .is-pane .record-head { padding-inline-end: 88px; }
.line-1 { display: flex; align-items: center; gap: 12px; height: 44px; } .line-1 h1 { min-width: 0; font: 600 17px/24px var(--mono); letter-spacing: -.02em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } .line-1 .muted { font-weight: 400; }
.line-1 summary::after { display: none; } .line-1 .took { flex: none; white-space: nowrap; color: var(--muted); } .line-1 .actions { margin-inline-start: auto; flex-wrap: nowrap; gap: 6px; white-space: nowrap; } .drop > div { position: absolute; z-index: 5; inset-inline-end: 0; margin-top: 4px; padding: 4px; background: var(--page); border: 1px solid var(--control); border-radius: 10px; box-shadow: 0 12px 40px var(--shadow); } .drop div form:has(label) { display: grid; gap: 8px; padding: 8px; } .drop label { display: grid; font-size: 12px; color: var(--muted); } .drop li.narrow { display: none; }
.line-2 { display: flex; gap: 0 16px; height: 30px; line-height: 24px; font-size: 13px; color: var(--muted); white-space: nowrap; overflow: hidden; } .line-2 > * { flex: none; } .line-2 .copy { border: 0; padding: 0; margin: 0 0 0 6px; line-height: 20px; }
.columns { display: grid; grid-template-columns: 176px minmax(0, 1fr); gap: 28px; padding: 16px 24px 40px; align-items: start; }
.menu a, .menu summary { display: flex; justify-content: space-between; gap: 8px; padding: 2px 10px; line-height: 24px; border-radius: 6px; text-decoration: none; } .menu a:hover { background: var(--surface); } .menu a[aria-current] { background: var(--text); color: var(--page); } .menu .group { display: block; font: 500 12px/16px var(--sans); color: var(--muted); padding: 12px 10px 4px; } .menu summary { color: var(--muted); margin-top: 10px; list-style: none; }
.is-going .menu a[data-go]::after { content: attr(data-go); order: -1; font: 600 12px/24px var(--mono); } .badge { color: var(--tone); flex: none; } .menu [aria-current] .badge { color: inherit; }
.panel .head, .panel > section > h3, .panel > section > section > h4 { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 12px; font-size: 14px; line-height: 20px; padding-bottom: 6px; border-bottom: 1px solid var(--line); } .panel .head { font-size: 13px; } .panel .head :is(h2, h3) { font-size: 14px; line-height: 20px; } .head > .filters a { min-height: 24px; padding-block: 0; } .head > a, .head > .filters { margin-inline-start: auto; } .panel :is(h3, h4) > span { font-weight: 400; color: var(--muted); }
.panel > * + * { margin-top: 12px; } .panel > .section { margin-top: 24px; } .section > * + * { margin-top: 8px; } .section .section { margin-top: 16px; }
.figures { display: flex; flex-wrap: wrap; align-items: end; gap: 4px 22px; } .strip { border-bottom: 1px solid var(--line); margin-bottom: 10px; rect { fill: var(--control); opacity: .6; } .own { fill: var(--text); opacity: 1; } }
.hero > .muted { margin-top: 8px; font-size: 13px; strong { color: var(--text); } } .hero > svg { position: static; display: block; height: 28px; } .figure { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 16px; line-height: 56px; } .figure > :first-child { font-size: 56px; font-weight: 650; letter-spacing: -.045em; } .figure small { font-size: 22px; font-weight: 600; letter-spacing: -.02em; margin-inline-start: 4px; } .figure .muted { line-height: 20px; }
.answer { font-size: 22px; line-height: 30px; font-weight: 500; letter-spacing: -.015em; margin: 8px 0 14px; text-wrap: pretty; } .answer a { text-decoration-thickness: 1px; } .answer:has(.place) > a { text-decoration: none; } .answer .mono { font-size: 18px; letter-spacing: -.02em; }
@container page (max-width: 1000px) {
  .columns { grid-template-columns: minmax(0, 1fr); gap: 12px; padding-top: 8px; } .menu { position: relative; display: flex; align-items: center; gap: 2px; overflow-x: auto; border-bottom: 1px solid var(--line); padding-bottom: 6px; } .menu .group { display: none; } .menu a { flex: none; gap: 6px; } .menu summary { margin: 0; white-space: nowrap; } .menu details, .menu details::details-content { display: flex; flex: none; } .menu details:not([open])::details-content { display: none; }
}
@container page (max-width: 720px) { .record-head .opt { display: none !important; } .drop li.narrow { display: block; } .line-1 { gap: 8px; } .line-1 h1 { font-size: 15px; } .figure > :first-child { font-size: 44px; } .figure { line-height: 46px; } .answer { font-size: 18px; line-height: 25px; } .answer .mono { font-size: 15px; } .record-head, .columns { padding-inline: 14px; } .drop > div { max-height: 70vh; overflow: auto; } }
@container page (max-width: 400px) { .line-1 { flex-wrap: wrap; height: auto; min-height: 44px; } .line-1 h1 { flex: 1 1 0; } .line-1 .chip .word { display: none; } }
@media (forced-colors: active) { .menu a[aria-current] { outline: 2px solid Highlight; } }
@media print { .columns { display: block; } }`,
  comparison: `
.pair { display: grid; grid-template-columns: 1fr 1fr; border-bottom: 1px solid var(--line); font-size: 13px; color: var(--muted); } .pair > div { min-width: 0; padding: 8px 24px; } .pair > div + div { border-inline-start: 1px solid var(--line); } .pair h2 { display: flex; align-items: center; gap: 10px; font: 600 15px/24px var(--mono); color: var(--text); white-space: nowrap; } .pair h2 a { overflow: hidden; text-overflow: ellipsis; text-decoration: none; }
.pair .took { flex: none; font: 14px/24px var(--sans); color: var(--text); }
.comparison { padding: 16px 24px 40px; } .more-time { color: var(--err); } .less-time { color: var(--ok); } .outcome { font: 650 34px/40px var(--sans); letter-spacing: -.03em; } .outcome .err { color: var(--err); } .outcome .ratio { font: 400 14px/20px var(--sans); letter-spacing: 0; } .comparison .hero .answer { margin-top: 6px; }
.comparison > .section > .scroll { & table { table-layout: fixed; } & :is(td, th) { padding: 6px 10px; height: 34px; vertical-align: middle; } & th { position: static !important; height: 26px; } & th.end { width: 92px; } & :is(td, th):first-child { padding-inline-start: 0; &:not(.grow) { width: 190px; } } & th.minor { color: transparent; } & .minor { padding-inline-start: 24px; } & td .line { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } & td .line .text { white-space: inherit; } & td.end:last-child { font-weight: 600; } & td .muted { font-weight: 400; } & .key { display: inline-block; margin-inline-end: 8px; } & td { overflow-wrap: anywhere; } }
.comparison td:has(> .mono.tone-ok) { background: var(--ok-tint); } .comparison td:has(> .mono.tone-error) { background: var(--err-tint); } .comparison td:has(> .mono.tone-info) { background: var(--surface); }
.comparison > .section > .scroll table:not(:has(th:nth-child(3))) { & td { border: 0; border-inline-start: 3px solid var(--line); padding: 4px 10px; height: auto; } & :is(td, th):first-child { width: 50%; padding-inline-start: 10px; } & td:has(> .tone-ok) { border-color: var(--ok); font-weight: 600; } & td:has(> .tone-error) { border-color: var(--err); font-weight: 600; } & td:has(> .tone-info) { border-color: var(--control); } }
.change { display: block; width: 100%; height: 32px; rect { height: 8px; shape-rendering: crispEdges; stroke: none; } .was { fill: var(--control); opacity: .5; } :is(.c-unaccounted, .c-busy, .c-waiting) { fill: var(--control); } }
.same { border: 1px dashed var(--control); border-radius: 8px; padding: 5px 14px; color: var(--muted); margin-top: 24px; }
.comparison details.section { margin-top: 6px; & table { table-layout: fixed; } & th:first-child { width: 24%; } & td { overflow-wrap: anywhere; } }
@container page (max-width: 720px) { .pair { grid-template-columns: minmax(0, 1fr); } .pair > div { padding-inline: 14px; } .pair > div + div { border: 0; border-top: 1px solid var(--line); } .comparison { padding-inline: 14px; } .comparison > .section > .scroll { font-size: 13px; & :is(td, th) { padding-inline: 6px; } & :is(td, th):first-child { padding-inline-start: 0; &:not(.grow) { width: 28%; } } & td :is(.line, .line .text) { white-space: normal; } & th.end { width: 64px; } & .end { padding-inline: 0 2px; } & th.end:last-child { width: 76px; } } }`,
  miss: `
.miss { max-width: 46rem; margin: 8vh auto; } .miss h1 { margin: 12px 0; } .miss p { margin-bottom: 12px; font-size: 15px; } .miss form { display: contents; } .miss form p { flex-basis: 100%; } .miss label { display: flex; align-items: center; gap: 8px; } .miss ul { margin-bottom: 20px; display: flex; flex-wrap: wrap; gap: 8px; }`,
  page: `
h1, h2, h3, h4 { text-wrap: balance; }
h4 { font-size: 13px; line-height: 1.4; font-weight: 650; }
.bar-top { display: flex; align-items: center; gap: 4px; height: 44px; padding: 0 24px; border-bottom: 1px solid var(--line); } .bar-top .brand { margin-inline-end: 12px; }
.bar-top nav { display: flex; gap: 2px; } .bar-top nav a { padding: 4px 10px; line-height: 20px; border-radius: 6px; color: var(--muted); text-decoration: none; white-space: nowrap; } .bar-top nav a:hover { color: var(--text); } .bar-top nav a[aria-current] { background: var(--surface); color: var(--text); }
.bar-top form { min-width: 0; margin-inline-start: auto; } .bar-top input { width: min(330px, 30vw); max-width: 100%; min-height: 28px; padding: 3px 10px; font: 13px/20px var(--mono); } .tools { display: flex; gap: 2px; }
.quiet { border-color: transparent; background: none; padding-inline: 8px; } .quiet .icon { width: 18px; height: 18px; }
[data-theme-toggle] .icon { display: none; } :root:not([data-theme]) [data-theme-toggle] .icon:first-child, :root[data-theme="light"] [data-theme-toggle] .icon:nth-child(2), :root[data-theme="dark"] [data-theme-toggle] .icon:last-child { display: block; }
.drop { position: relative; > summary { list-style: none; &.button:not(.quiet)::after { content: ""; width: 6px; height: 6px; border: solid; border-width: 0 1.5px 1.5px 0; rotate: 45deg; translate: 0 -2px; margin-inline-start: 6px; } }
li > a, li button { display: flex; align-items: center; width: 100%; min-height: 32px; padding: 4px 10px; border: 0; border-radius: 5px; font: inherit; color: var(--text); background: none; text-decoration: none; white-space: nowrap; cursor: pointer; &:hover { background: var(--surface); text-decoration: none; } &[aria-current] { font-weight: 600; } } }
.page { padding: 20px 24px 48px; container: page / inline-size; } .page:has(> :is(.title-line, .record-head, .pair)) { padding: 0 0 40px; } 
.chip { display: inline-block; flex: none; border-radius: 5px; padding: 0 7px; font: 600 12px/20px var(--sans); white-space: nowrap; color: var(--tone); background: var(--tint); }
.tone-ok, .is-ok, .note-ok { --tone: var(--ok); --tint: var(--ok-tint); } .tone-info, .is-info { --tone: var(--text); --tint: var(--surface); } .tone-warn, .is-warn, .note-warn { --tone: var(--warn); --tint: var(--warn-tint); } .tone-error, .is-error, .note-error { --tone: var(--err); --tint: var(--err-tint); } .is-neutral { --tone: var(--muted); --tint: var(--surface); }
[class*="tone-"] { color: var(--tone); }
.copy { font: inherit; font-size: 12px; margin-inline-start: 8px; padding: 1px 8px; min-height: 24px; min-width: 24px; border: 1px solid var(--control); border-radius: 5px; color: var(--muted); background: transparent; cursor: pointer; }
.copy:hover { background: var(--surface); color: var(--text); }
.count { color: var(--muted); }
.note { border-radius: 6px; padding: 8px 14px; background: var(--tint, var(--surface)); } .empty { color: var(--muted); }
.end, .requests :is(.ms, .ag, .tk) { text-align: end; } td:is(.end, .ms, .ag, .tk) { white-space: nowrap; }
.text { white-space: pre-wrap; }
.actions { display: flex; flex-wrap: wrap; gap: 8px; }
@container page (max-width: 900px) { .minor { display: none; } }
@media (max-width: 640px) {
  .bar-top { padding: 0 14px; } .page { padding-inline: 14px; } .tools .button + .button { display: none; } .bar-top form { display: none; } .tools { margin-inline-start: auto; } .bar-top nav a { padding-inline: 7px; } .bar-top .brand { margin-inline-end: 4px; } .bar-top .opt { display: none; }
}
@media (max-width: 400px) { .brand { font-size: 0; gap: 0; } }
@media print { .bar-top, .actions, .copy, .drop, .miss ul, nav:not(.filters), .filters a:not([aria-current]), form[method=post] { display: none !important; } .page { padding: 0; max-width: none; } }`,
};
const sheets = Object.entries(styles).map(
  ([classes, text]) => [new RegExp(`class="(?:${classes})[" ]`), createStyleAsset(text)] as const,
);

/** Returns the style sheets that a page's markup needs. */
export function stylesFor(markup: string): readonly InlineAsset[] {
  const own = sheets.flatMap(([marker, sheet]) => (marker.test(markup) ? [sheet] : []));
  const chain = markup.includes('class="error"') ? [chainStyles] : [];
  return [baseStyles, ...chain, ...(markup.includes('class="pic') ? [snapshotStyles] : []), ...own];
}
