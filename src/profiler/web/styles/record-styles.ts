import { createStyleAsset, type InlineAsset } from '#html';

/** Styles of a record's page: summary, menu, panel. */
export const recordStyles: InlineAsset = createStyleAsset(`
.summary { border: 1px solid var(--line); border-top: 6px solid var(--status-neutral); border-radius: var(--radius); padding: 14px 20px 16px; margin-bottom: 20px; background: var(--raised); }
.summary.is-ok { border-top-color: var(--ok); } .summary.is-info { border-top-color: var(--accent); }
.summary.is-warn { border-top-color: var(--warn); } .summary.is-error { border-top-color: var(--err); }
.summary-line { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 12px; }
.summary h1 { flex: 1 1 20rem; font: 500 20px/28px var(--mono); letter-spacing: -.02em; min-width: 0; }
.summary h1 b { font-weight: 700; margin-inline-end: 6px; }
.summary .query { color: var(--muted); }
.meta { display: flex; flex-wrap: wrap; gap: 8px 32px; margin-top: 12px; }
.meta dt { font-size: 12px; color: var(--muted); } .meta dd { font-weight: 550; }
.problems { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 12px; }
.problems .chip { text-decoration: none; min-height: 24px; }
.neighbours { display: flex; flex-wrap: wrap; gap: 4px 16px; margin-bottom: 12px; }
.neighbours a { min-height: 24px; display: inline-flex; align-items: center; gap: 6px; text-decoration: none; } .neighbours a:hover { text-decoration: underline; }
.columns { display: grid; grid-template-columns: 216px minmax(0, 1fr); gap: 28px; align-items: start; }
.menu { position: sticky; top: 12px; }
.menu a { display: flex; align-items: center; gap: 10px; padding: 7px 10px; min-height: 36px; border-radius: 6px; color: var(--text); text-decoration: none; }
.menu a .icon { color: var(--muted); width: 18px; height: 18px; stroke-width: 1.75; }
.menu a .count { margin-inline-start: auto; }
.menu a { overflow-wrap: normal; }
.menu a:hover { background: var(--hover); }
.menu a.blank, .menu a.blank .icon { color: var(--muted); }
.menu a[aria-current] { background: var(--accent-tint); color: var(--accent); font-weight: 600; }
.menu a[aria-current] .icon { color: var(--accent); }
.panel > h2 { font-size: 20px; margin-bottom: 14px; }
.panel > * + *, .section > * + * { margin-top: 14px; }
.panel > section > h2 { font-size: 16px; margin-bottom: 10px; }
.panel > .section { margin-top: 30px; } .section .section { margin-top: 18px; }
.panel > .section > h3, .panel > .section > summary > h3 { font-size: 16px; }
.section .section > h4 + * { margin-top: 6px; }
@media (max-width: 900px) {
  .columns { grid-template-columns: minmax(0, 1fr); gap: 18px; }
  .menu { position: static; } .menu ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(138px, 1fr)); gap: 4px; }
}
@media (max-width: 640px) { .summary { padding: 12px 14px; } .summary h1 { font-size: 16px; line-height: 24px; flex-basis: 100%; } .meta { gap: 8px 20px; } }
@media (forced-colors: active) { .summary { border-color: CanvasText; } .menu a[aria-current] { outline: 2px solid Highlight; } }
@media print { .menu, .neighbours { display: none; } .columns { display: block; } }`);
