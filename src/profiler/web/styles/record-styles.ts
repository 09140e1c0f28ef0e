import { createStyleAsset, type InlineAsset } from '#html';

/** Styles of a record's page: summary, menu, panel. */
export const recordStyles: InlineAsset = createStyleAsset(`
.summary { border-top: 4px solid color-mix(in srgb, var(--tone) 60%, var(--page)); margin: -20px calc(50% - 50vw) 20px; padding: 8px max(24px, calc(50vw - 696px)) 10px; background: var(--surface); border-bottom: 1px solid var(--line); }
.summary-line { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 16px; min-height: 36px; }
.is-pane .summary-line { padding-inline-end: 76px; }
.summary h1 { flex: 1 1 20rem; font: 600 22px/28px var(--sans); letter-spacing: -.01em; min-width: 0; }
.summary a { color: inherit; text-decoration: none; } .summary a:hover { text-decoration: underline; }
.summary .query { color: var(--muted); font-weight: 400; }
.meta { display: flex; flex-wrap: wrap; gap: 0 20px; line-height: 24px; }
.meta > div { display: flex; align-items: baseline; gap: 6px; min-width: 0; } .meta .copy { margin: 0 0 0 6px; line-height: 20px; vertical-align: baseline; } .status-link { display: inline-flex; min-height: 24px; align-items: center; } .meta dt, .meta div:nth-last-child(2) { color: var(--muted); }
.meta a { display: inline-block; min-height: 24px; }
.summary-foot { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 2px 20px; } .problems { display: flex; flex-wrap: wrap; gap: 0 20px; font-weight: 600; }
.problems a { display: inline-flex; align-items: center; gap: 6px; min-height: 24px; } .problems a[class] { color: var(--tone); }
.visitor { display: flex; flex-wrap: wrap; gap: 0 14px; } .visitor > * { min-height: 24px; color: var(--muted); } .visitor [aria-current] { font-weight: 600; color: var(--text); }
.neighbours { display: flex; flex-wrap: wrap; gap: 0 14px; }
.neighbours a { min-height: 24px; display: inline-flex; align-items: center; gap: 6px; color: var(--muted); }
.neighbours .name { max-width: 15rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.columns { display: grid; grid-template-columns: 216px minmax(0, 1fr); gap: 28px; align-items: start; }
.menu { position: sticky; top: 12px; }
.menu a { display: flex; align-items: center; gap: 10px; padding: 5px 10px; min-height: 32px; border-radius: 6px; color: var(--text); text-decoration: none; overflow-wrap: normal; }
.menu a .icon { color: var(--muted); width: 18px; height: 18px; stroke-width: 1.75; }
.menu a .count { margin-inline-start: auto; }
.menu a:hover { background: var(--hover); }
.menu a.blank, .menu a.blank .icon { color: var(--muted); }
.menu a[aria-current] { background: var(--accent-tint); color: var(--accent); }
.menu a[aria-current] .icon { color: var(--accent); }
.panel > h2 { font-size: 20px; margin-bottom: 14px; }
.panel > * + *, .section > * + * { margin-top: 14px; }
.panel > section > h2 { font-size: 16px; margin-bottom: 10px; }
.panel > .section { margin-top: 30px; } .section .section { margin-top: 18px; }
.panel > .section > h3, .panel > .section > summary > h3 { font-size: 16px; }
.section .section > h4 + * { margin-top: 6px; }
@media (max-width: 1200px) { .summary-line .neighbours { order: 4; flex-basis: 100%; } .summary-line .actions { margin-inline-start: auto; } }
@media (max-width: 900px) {
  .columns { grid-template-columns: minmax(0, 1fr); gap: 18px; }
  .menu { position: static; } .menu a .count { padding-inline: 4px; } .menu a { gap: 6px; padding-inline: 6px; overflow-wrap: anywhere; min-width: 0; } .menu ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(144px, 1fr)); gap: 4px 0; }
}
@media (max-width: 400px) { .menu .icon { display: none; } }
@media (max-width: 640px) { .summary .status.big > span { display: none; } .summary { padding-inline: 14px; } .summary h1 { font-size: 18px; line-height: 24px; flex-basis: 100%; order: 3; } .meta { gap: 0 16px; } }
@media (forced-colors: active) { .summary { border-color: CanvasText; } .menu a[aria-current] { outline: 2px solid Highlight; } }
@media print { .visitor { display: none; } .columns { display: block; } .summary { margin: 0 0 12px; padding-inline: 0; background: none; } }`);

/** Styles of the tags and the note of a record. */
export const markStyles: InlineAsset = createStyleAsset(`
.mark-line { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 12px; line-height: 24px; .tag { background: var(--accent-tint); border-radius: 6px; padding-inline: 8px; } details[open] { flex-basis: 100%; } form { display: flex; flex-wrap: wrap; align-items: end; gap: 8px 12px; margin-block: 8px; } label { display: grid; color: var(--muted); font-size: 12px; } textarea { font: inherit; font-size: 14px; width: min(28rem, 80vw); } summary { cursor: pointer; min-height: 24px; color: var(--muted); } }`);

/** Styles of the comparison page. */
export const compareStyles: InlineAsset = createStyleAsset(`
.comparison .breakdown { width: 100%; } .comparison > * + * { margin-top: 14px; } .comparison h2 { font-size: 16px; overflow-wrap: anywhere; } .comparison table { table-layout: fixed; } .comparison th:first-child { width: 24%; } .comparison td { overflow-wrap: anywhere; vertical-align: top; } .comparison .scroll thead th { white-space: normal; }
.comparison section { margin-top: 24px; } .comparison .panel > * + * { margin-top: 12px; }
@media (max-width: 640px) { .comparison tr { display: grid; grid-template-columns: 1fr 1fr; } .comparison tr > :first-child { grid-column: 1 / -1; width: auto; border-bottom: 0; padding-bottom: 0; } }`);
