import { pictureStyles } from '#dump';
import { chainStyles } from '#errors';
import { createStyleAsset, type InlineAsset } from '#html';
import type { Block, Value } from '../../panels/blocks/block.js';

const wordStyles = createStyleAsset(`
details.section > summary { display: flex; align-items: center; gap: 8px; list-style: none; } details.section > summary > * { display: inline; }
details.section > summary::before, .opens > summary::before { content: ""; width: 7px; height: 7px; flex: none; border: solid var(--muted); border-width: 0 1.5px 1.5px 0; rotate: -45deg; }
details.section[open] > summary::before, .opens[open] > summary::before { rotate: 45deg; }
.metrics { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(150px, 45%), 1fr)); border-block: 1px solid var(--line); }
.metrics > div { padding: 10px 14px 10px 0; display: flex; flex-direction: column-reverse; justify-content: flex-end; }
.metrics dt { color: var(--muted); } .metrics dd { font-size: 20px; line-height: 1.3; font-weight: 600; letter-spacing: -.01em; }
.metrics small { font-size: 14px; font-weight: 400; color: var(--muted); }
.findings { border-block: 1px solid var(--line); } .findings li { display: flex; gap: 10px; padding: 8px 0; } .findings li + li { border-top: 1px solid var(--line); } .findings p { color: var(--muted); } .findings strong { font-weight: 550; }
.findings .icon { margin-top: 2px; color: var(--muted); } .findings .note-ok .icon { color: var(--ok); } .findings .note-warn .icon { color: var(--warn); } .findings .note-error .icon { color: var(--err); } .findings li[class] { background: none; border-radius: 0; }`);

export const dataStyles: InlineAsset = createStyleAsset(`
.scroll { border: 1px solid var(--line); border-radius: var(--radius); }
.scroll thead th { background: var(--surface); font-size: 12px; white-space: nowrap; }
.scroll td { overflow-wrap: break-word; } .scroll tr:not(:has(.grow)) > :last-child { overflow-wrap: anywhere; } .scroll .end, .scroll .end .text { white-space: nowrap; } .scroll .grow { width: 99%; } .scroll table:not(.requests) .grow { min-width: 14rem; overflow-wrap: anywhere; }
.scroll tbody tr:last-child > * { border-bottom: 0; }
.row-error > td:first-child { box-shadow: inset 3px 0 var(--err); } .row-warn > td:first-child { box-shadow: inset 3px 0 var(--warn); }
.opens > summary { display: flex; gap: 10px; align-items: baseline; list-style: none; } .opens > summary::before { translate: 0 -1px; } .opens > :not(summary) { margin: 8px 0 8px 17px; } .below { margin-top: 4px; }
tr:has(> td > .opens):hover { background: var(--hover); } tr:has(> td > .opens[open]) { background: none; }
.facts { border-block: 1px solid var(--line); gap: 0 32px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 460px), 1fr)); }
.facts > div { border-bottom: 0; border-top: 1px solid var(--line); margin-top: -1px; } .facts > .wide { grid-column: 1 / -1; }
.facts dd { font: inherit; white-space: normal; } .facts .value { white-space: pre-wrap; } .facts .value:has(.pic) { white-space: normal; }
.long > summary { list-style: none; } .long > summary::-webkit-details-marker { display: none; }
.long .more { color: var(--accent); font-size: 12px; } .long[open] > summary { color: var(--muted); } .long[open] > summary .text { display: none; }
.listing { border: 1px solid var(--line); border-radius: var(--radius); overflow: hidden; }
.listing figcaption { display: flex; align-items: center; justify-content: space-between; min-height: 34px; padding: 3px 14px; background: var(--surface); border-bottom: 1px solid var(--line); color: var(--muted); }
.listing > p { padding: 4px 14px 10px; }
.listing pre { padding: 12px 14px; max-height: 32rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
.filters { display: flex; flex-wrap: wrap; align-items: center; gap: 2px; }
.filters a { display: inline-flex; gap: 6px; align-items: center; min-height: 28px; padding: 2px 10px; border-radius: 6px; color: var(--text); text-decoration: none; }
.filters a:hover { background: var(--hover); }
.filters a[aria-current] { background: var(--accent-tint); color: var(--accent); }
.side-by-side { display: grid; gap: 16px 24px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); } .side-by-side > div { min-width: 0; display: grid; gap: 12px; align-content: start; }
@media (min-width: 1200px) { .panel .scroll { overflow: visible; } .panel .scroll thead th { position: sticky; top: 0; z-index: 1; } }
@media print { .scroll { overflow: visible; border: 0; } .scroll thead th { position: static; } .listing pre { max-height: none; } }`);

const timelineStyles = createStyleAsset(`
.timeline { overflow: clip; overflow-clip-margin: 4px; } .timeline table { table-layout: fixed; } .timeline th:first-child { width: 34%; } .timeline tbody th { color: var(--text); font-weight: 400; }
.timeline tbody tr { position: relative; } .timeline tbody tr:hover { background: var(--hover); } .timeline tbody th a { display: inline-block; max-width: 100%; line-height: 24px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; vertical-align: bottom; } .timeline tbody th a:has(~ small) { max-width: calc(100% - 52px); } .timeline tbody th a::after { content: ""; position: absolute; inset: 0; }
.timeline td, .timeline tbody th { padding-block: 3px; } .timeline th.end { width: 104px; white-space: nowrap; } .timeline small { margin-inline-start: 8px; color: var(--muted); }
.timeline .track { padding-inline: 0; vertical-align: bottom; } .timeline td.track { vertical-align: middle; background: linear-gradient(90deg, var(--line) 1px, transparent 1px) 0 / 25%; }
.track svg { display: block; width: 100%; height: 14px; } .track path { vector-effect: non-scaling-stroke; } .track path[class^="c-"] { stroke-width: 2px; }
.c-framework { stroke: var(--c-framework); } .c-app { stroke: var(--c-app); } .c-database { stroke: var(--c-database); } .c-http { stroke: var(--c-http); } .c-rendering { stroke: var(--c-rendering); }
.scale { display: flex; justify-content: space-between; font-size: 12px; font-weight: 400; font-variant-numeric: tabular-nums; }
.tick { stroke: var(--muted); stroke-width: 3px; } .tick.tone-warn { stroke: var(--warn); } .tick.tone-error { stroke: var(--err); }
.depth-1 { padding-inline-start: 24px; } .depth-2 { padding-inline-start: 38px; } .depth-3 { padding-inline-start: 52px; } .depth-4 { padding-inline-start: 66px; } .depth-5 { padding-inline-start: 80px; }
@media (max-width: 640px) {
  .timeline tr { display: grid; grid-template-columns: minmax(0, 1fr) auto auto; } .timeline tbody th { grid-column: 1 / -1; } .timeline tbody .end { grid-row: 3; grid-column: 2; padding-top: 0; } .timeline tbody .end:last-child { grid-column: 3; } .timeline th:first-child, .timeline th.end { width: auto; }
  .timeline .track { grid-row: 2; grid-column: 1 / -1; margin: 2px 8px 8px; } .timeline tbody th a { white-space: normal; } .timeline tr > * { border-bottom: 0; } .timeline tr { border-bottom: 1px solid var(--line); }
}
@media (forced-colors: active) { .track svg { forced-color-adjust: none; } }
@media print { .timeline tbody th a { white-space: normal; } }`);

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
