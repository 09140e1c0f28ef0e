import { chainStyles } from '#errors';
import { createStyleAsset, type InlineAsset } from '#html';
import type { Block } from '../../panels/blocks/block.js';

const blockStyles = createStyleAsset(`
details.section > summary { display: flex; align-items: center; gap: 8px; } details.section > summary > * { display: inline; }
details.section > summary::before { content: ""; width: 7px; height: 7px; flex: none; border: solid var(--muted); border-width: 0 2px 2px 0; rotate: -45deg; }
details.section[open] > summary::before { rotate: 45deg; }
.metrics { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 12px; }
.metrics > div { border: 1px solid var(--line); border-radius: var(--radius); padding: 10px 14px 12px; background: var(--raised); display: flex; flex-direction: column-reverse; justify-content: flex-end; }
.metrics dt { color: var(--muted); } .metrics dd { font-size: 22px; line-height: 1.3; font-weight: 600; letter-spacing: -.01em; }
.metrics small { font-size: 14px; font-weight: 500; color: var(--muted); }
.note, .findings li { border: 1px solid var(--line); border-inline-start: 4px solid var(--control); border-radius: 6px; padding: 10px 14px; background: var(--surface); }
.note-ok { border-inline-start-color: var(--ok) !important; } .note-info { border-inline-start-color: var(--accent) !important; }
.note-warn { border-inline-start-color: var(--warn) !important; } .note-error { border-inline-start-color: var(--err) !important; }
.findings { display: grid; gap: 8px; } .findings li { display: flex; gap: 10px; } .findings p { color: var(--muted); }
.findings .icon { margin-top: 2px; } .note-warn .icon { color: var(--warn); } .note-error .icon { color: var(--err); }
.empty { padding: 18px; border: 1px dashed var(--control); border-radius: var(--radius); color: var(--muted); text-align: center; }
.scroll { border: 1px solid var(--line); border-radius: var(--radius); }
.scroll thead th { background: var(--surface); font-size: 12px; white-space: nowrap; }
.scroll td { overflow-wrap: break-word; } .scroll td:last-child { overflow-wrap: anywhere; } .scroll .end, .scroll .end .text { white-space: nowrap; } .scroll .grow { width: 99%; } .scroll table:not(.requests) td:last-child:not(.end) { min-width: 10rem; }
.scroll tbody tr:last-child > * { border-bottom: 0; }
.row-error > td:first-child { box-shadow: inset 3px 0 var(--err); } .row-warn > td:first-child { box-shadow: inset 3px 0 var(--warn); }
tr:has(+ tr.detail) > td { border-bottom: 0; } .detail td { padding-top: 0; } .detail summary { color: var(--muted); font-size: 13px; }
.facts { border: 1px solid var(--line); border-radius: var(--radius); padding: 2px 14px; gap: 0; }
.facts dd, .facts .value:has(.pic) { white-space: normal; } .facts .value { white-space: pre-wrap; }
.long > summary { list-style: none; } .long > summary::-webkit-details-marker { display: none; }
.long .more { color: var(--accent); font-size: 12px; } .long[open] > summary { color: var(--muted); } .long[open] > summary .text { display: none; }
.listing { border: 1px solid var(--line); border-radius: var(--radius); overflow: hidden; }
.listing figcaption { display: flex; align-items: center; justify-content: space-between; min-height: 34px; padding: 3px 14px; background: var(--surface); border-bottom: 1px solid var(--line); color: var(--muted); }
.listing > p { padding: 4px 14px 10px; }
.listing pre { padding: 12px 14px; max-height: 32rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
.filters { display: flex; flex-wrap: wrap; gap: 6px; }
.filters a { display: inline-flex; gap: 6px; align-items: center; min-height: 28px; padding: 2px 12px; border: 1px solid var(--control); border-radius: 999px; color: var(--text); text-decoration: none; }
.filters a:hover { background: var(--hover); }
.filters a[aria-current] { background: var(--accent-tint); border-color: var(--accent); color: var(--accent); font-weight: 600; }
@media (max-width: 640px) { .metrics { grid-template-columns: repeat(auto-fill, minmax(118px, 1fr)); gap: 8px; } .metrics dd { font-size: 18px; } }
@media (forced-colors: active) { .note, .metrics > div { border-color: CanvasText; } }
@media print { .scroll { overflow: visible; border: 0; } .listing > p { padding: 4px 14px 10px; }
.listing pre { max-height: none; } }`);

const timelineStyles = createStyleAsset(`
.timeline .legend { display: flex; flex-wrap: wrap; gap: 4px 16px; margin-bottom: 8px; color: var(--muted); } .legend li { display: inline-flex; align-items: center; gap: 6px; }
.timeline table { table-layout: fixed; } .timeline th:first-child { width: 32%; } .timeline tbody th { color: var(--text); font-weight: 500; }
.timeline th.end { width: 88px; } .timeline small { display: block; font-weight: 400; }
.track { padding-inline: 0; vertical-align: middle; } .track svg { display: block; } .track-head { padding-inline: 0; }
.scale { display: flex; justify-content: space-between; font-size: 12px; font-weight: 400; }
.tick { stroke: var(--line); }
.depth-1 { padding-inline-start: 24px; } .depth-2 { padding-inline-start: 38px; } .depth-3, .depth-4, .depth-5 { padding-inline-start: 52px; }
.bar-0 { fill: var(--accent); } .bar-1 { fill: light-dark(#0f6070, #76d4e4); } .bar-2 { fill: light-dark(#8a2fb0, #d2a8ff); }
.bar-3 { fill: var(--ok); } .bar-4 { fill: var(--warn); } .bar-5 { fill: var(--muted); }
@media (max-width: 640px) {
  .timeline tr { display: grid; grid-template-columns: minmax(0, 1fr) auto auto; } .timeline th:first-child, .timeline th.end { width: auto; }
  .timeline .track, .timeline .track-head { grid-row: 2; grid-column: 1 / -1; padding: 2px 8px 8px; } .timeline tr > * { border-bottom: 0; } .timeline tr { border-bottom: 1px solid var(--line); }
}
@media (forced-colors: active) { .bar { fill: Highlight; } }`);

/** The styles that these blocks need, each once. */
export function stylesOf(blocks: readonly Block[]): readonly InlineAsset[] {
  const styles = new Set<InlineAsset>();
  for (const block of blocks) {
    if (block.kind === 'errors') styles.add(chainStyles);
    else styles.add(blockStyles);
    if (block.kind === 'timeline') styles.add(timelineStyles);
    if (block.kind === 'section') for (const inner of stylesOf(block.blocks)) styles.add(inner);
  }
  return [...styles];
}
