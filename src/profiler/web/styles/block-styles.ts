import { pictureStyles } from '#dump';
import { chainStyles } from '#errors';
import { createStyleAsset, type InlineAsset } from '#html';
import type { Block, Value } from '../../panels/blocks/block.js';

const wordStyles = createStyleAsset(`
details.section > summary, .opens > summary { display: flex; align-items: baseline; gap: 8px; list-style: none; } details.section > summary > * { display: inline; font-size: 14px; }
details.section > summary::before, .opens > summary::before { content: ""; width: 6px; height: 6px; flex: none; border: solid var(--muted); border-width: 0 1.5px 1.5px 0; rotate: -45deg; translate: 0 -2px; }
details.section[open] > summary::before, .opens[open] > summary::before { rotate: 45deg; }
.metrics { display: flex; flex-wrap: wrap; gap: 2px 16px; color: var(--muted); } .metrics > div { display: flex; flex-direction: row-reverse; gap: 5px; } .metrics dd { font-weight: 600; color: var(--text); } .metrics [class*=tone-] dd { color: var(--tone); }
.findings { border-block: 1px solid var(--line); } .findings li { display: flex; gap: 8px; padding: 5px 0; background: none; border-radius: 0; } .findings li + li { border-top: 1px solid var(--line); } .findings p { color: var(--muted); } .findings strong { font-weight: 500; }
.findings .icon { margin-top: 2px; color: var(--muted); } .findings .note-warn .icon { color: var(--warn); } .findings .note-error .icon { color: var(--err); }`);

export const dataStyles: InlineAsset = createStyleAsset(`
.scroll thead th { background: var(--page); font: 500 12px/16px var(--sans); white-space: nowrap; } .scroll :is(th, td):first-child { padding-inline-start: 0; } .scroll :is(th, td):last-child { padding-inline-end: 0; }
.scroll td { overflow-wrap: break-word; } .scroll tr:not(:has(.grow)) > :last-child { overflow-wrap: anywhere; } .scroll .end, .scroll .end .text { white-space: nowrap; } .scroll .grow { width: 99%; } .scroll tr:has(.grow) > td:not(.grow, .end) { min-width: 7rem; } .scroll table:not(.requests) .grow { min-width: 14rem; overflow-wrap: anywhere; }
.scroll :is(.row-error, .row-warn) > td:first-child { padding-inline-start: 12px; } .row-error > td:first-child { box-shadow: inset 3px 0 var(--err); } .row-warn > td:first-child { box-shadow: inset 3px 0 var(--warn); }
.opens > :not(summary) { margin: 8px 0 8px 17px; } .below { margin-top: 4px; }
tr:has(> td > .opens):hover { background: var(--surface); } tr:has(> td > .opens[open]) { background: none; }
.facts { gap: 0 28px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 460px), 1fr)); }
.facts > div, .facts > div:last-child { padding: 4px 0; border-bottom: 1px solid var(--line); } .facts > .wide { grid-column: 1 / -1; }
.facts dd { font: inherit; white-space: normal; } .facts .value { white-space: pre-wrap; } .facts .value:has(.pic) { white-space: normal; }
.long > summary { list-style: none; } .long > summary::-webkit-details-marker { display: none; }
.long .more { color: var(--text); font-size: 12px; } .long[open] > summary { color: var(--muted); } .long[open] > summary .text { display: none; }
.listing { border: 1px solid var(--line); border-radius: var(--radius); overflow: hidden; }
.listing figcaption { display: flex; align-items: center; justify-content: space-between; min-height: 34px; padding: 3px 14px; background: var(--surface); border-bottom: 1px solid var(--line); color: var(--muted); }
.listing > p { padding: 4px 14px 10px; }
.listing pre { padding: 12px 14px; max-height: 32rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
.filters { display: flex; flex-wrap: wrap; align-items: center; gap: 2px; }
.filters a { display: inline-flex; gap: 6px; align-items: center; min-height: 28px; padding: 2px 10px; border-radius: 6px; color: var(--text); text-decoration: none; }
.filters a:hover { background: var(--hover); }
.filters a[aria-current] { background: var(--surface); color: var(--text); }
.side-by-side { display: grid; gap: 0 28px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); } .side-by-side > div { min-width: 0; display: grid; align-content: start; } .side-by-side .section { margin-top: 24px; } .side-by-side h3 { padding-bottom: 6px; border-bottom: 1px solid var(--line); } .side-by-side .section > * + * { margin-top: 0; }
@media (min-width: 1200px) { .panel .scroll { overflow: visible; } .panel .scroll thead th { position: sticky; top: 0; z-index: 1; } }
@media print { .scroll { overflow: visible; } .scroll thead th { position: static; } .listing pre { max-height: none; } }`);

const timelineStyles = createStyleAsset(`
.timeline { --name: 34%; } .timeline .rows { position: relative; } .timeline table { position: relative; table-layout: fixed; } .timeline :is(th, td) { height: 30px; padding: 0 8px 0 0; border: 0; vertical-align: middle; } .timeline thead th { height: 26px; font: 500 12px/16px var(--sans); } .timeline th:first-child { width: var(--name); } .timeline th.end { width: 76px; }
.timeline tbody th { position: relative; font-weight: 400; color: var(--text); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } .timeline tbody th a { text-decoration: none; line-height: 24px; } .timeline tbody a:hover { text-decoration: underline; } .timeline tbody tr:hover { background: var(--surface); } .timeline small { color: var(--muted); } .timeline .chip { margin-inline-end: 8px; font-size: 12px; }
.timeline .lane { position: relative; height: 30px; overflow: clip; background: none; border: 0; direction: ltr; } .timeline .lane svg { position: absolute; top: 8px; left: 0; width: 100%; height: 14px; } .timeline rect, .map rect { shape-rendering: crispEdges; } .hull { fill: none; stroke: var(--control); } .comb rect { stroke: var(--page); stroke-width: 1px; shape-rendering: auto; } .timeline .hair { width: 2px; stroke: none; }
.grid { position: absolute; top: 26px; left: var(--name); width: calc(100% - var(--name) - 84px); height: calc(100% - 26px); } .is-whole .grid { width: calc(100% - var(--name) - 160px); } .grid line { stroke: var(--line); }
.timeline .axis { width: 100%; direction: ltr; }
.map { position: relative; height: 34px; margin-bottom: 6px; padding: 5px 0; background: var(--surface); border-radius: 6px; overflow: clip; } .map svg { display: block; width: 100%; height: 30px; } .tick { fill: var(--muted); } .tick.tone-warn { fill: var(--warn); } .tick.tone-error { fill: var(--err); }
.is-whole thead th { position: sticky; top: 0; z-index: 2; background: var(--page); box-shadow: 0 1px var(--line); }
.depth-1 { padding-inline-start: 14px !important; } .depth-2 { padding-inline-start: 28px !important; } .depth-3 { padding-inline-start: 42px !important; } .depth-4 { padding-inline-start: 56px !important; } .depth-5 { padding-inline-start: 70px !important; } .depth-6 { padding-inline-start: 84px !important; }
@container page (max-width: 720px) { .timeline { --name: 46%; } .timeline.is-whole :is(th, td):nth-child(3) { display: none; } .is-whole .grid { width: calc(100% - var(--name) - 84px); } .axis text:not(:first-child):not(:last-child) { display: none; } }
@media (forced-colors: active) { .lane svg, .map { forced-color-adjust: none; } }`);

const dataKinds: ReadonlySet<Block['kind']> = new Set(['table', 'pairs', 'code', 'filters']);

const documentStyles = createStyleAsset(
  '.document { width: 100%; height: 26rem; border: 1px solid var(--line); border-radius: var(--radius); background: #fff; }',
);

const flameStyles = createStyleAsset(`
.flames { overflow-x: auto; } .flames > svg { display: block; width: 100%; min-width: 480px; }
.flames rect { fill: color-mix(in srgb, var(--c-framework) 18%, var(--page)); stroke: var(--page); } .flames .own rect { fill: color-mix(in srgb, var(--c-app) 32%, var(--page)); }
.flames text { fill: var(--text); font: 12px/1 var(--sans, system-ui); } .flames a:hover rect { stroke: var(--text); }
.flame-key { display: flex; gap: 16px; color: var(--muted); } .flame-key span::before { content: ""; display: inline-block; width: 10px; height: 10px; margin-inline-end: 6px; background: color-mix(in srgb, var(--c-framework) 40%, var(--page)); } .flame-key .own::before { background: var(--c-app); }
@media (forced-colors: active) { .flames { forced-color-adjust: none; } }`);

/** Returns the styles that the blocks need, without duplicates. */
export function stylesOf(blocks: readonly Block[]): readonly InlineAsset[] {
  const styles = new Set<InlineAsset>();
  for (const block of blocks) {
    if (block.kind === 'errors') styles.add(chainStyles);
    else if (block.kind !== 'note') styles.add(wordStyles);
    if (dataKinds.has(block.kind)) styles.add(dataStyles);
    if (holdsPictures(block)) styles.add(pictureStyles);
    if (block.kind === 'timeline') styles.add(timelineStyles);
    if (block.kind === 'document') styles.add(documentStyles);
    if (block.kind === 'flames') styles.add(flameStyles);
    for (const inner of innerBlocks(block)) for (const style of stylesOf([inner])) styles.add(style);
  }
  return [...styles];
}

function innerBlocks(block: Block): readonly Block[] {
  if (block.kind === 'section') return block.blocks;
  if (block.kind === 'columns') return block.columns.flat();
  return block.kind === 'table' ? block.rows.flatMap(({ detail = [] }) => detail) : [];
}

function holdsPictures(block: Block): boolean {
  if (block.kind === 'errors' || block.kind === 'picture') return true;
  const values: readonly Value[] =
    block.kind === 'pairs'
      ? block.pairs.map(([, value]) => value)
      : block.kind === 'table'
        ? block.rows.flatMap(({ cells }) => cells)
        : [];
  return values.some((value) => typeof value === 'object' && value.picture !== undefined);
}
