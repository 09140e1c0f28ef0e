import { createStyleAsset, type InlineAsset } from '#html';

const frame = `
:root { --status-neutral: var(--muted); }
h1, h2, h3, h4 { text-wrap: balance; }
h4 { font-size: 13px; line-height: 1.4; font-weight: 650; }
.bar-top { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 16px; padding: 8px max(24px, calc(50% - 696px)); background: var(--surface); border-bottom: 1px solid var(--line); }
.brand { display: inline-flex; align-items: center; gap: 8px; font-weight: 700; color: var(--text); text-decoration: none; min-height: 32px; letter-spacing: -.01em; }
.brand .icon { color: var(--accent); width: 20px; height: 20px; }
.bar-top nav { display: flex; flex-wrap: wrap; gap: 4px; }
.bar-top nav a { padding: 4px 10px; min-height: 32px; display: inline-flex; align-items: center; border-radius: 6px; color: var(--text); text-decoration: none; }
.bar-top nav a:hover { background: var(--hover); }
.bar-top nav a[aria-current] { background: var(--accent-tint); color: var(--accent); font-weight: 600; }
.bar-top form { margin-inline-start: auto; display: flex; gap: 6px; }
.bar-top input { width: 16rem; }
.page { max-width: 1440px; margin: 0 auto; padding: 20px 24px 48px; }
.foot { max-width: 1440px; margin: 0 auto; padding: 12px 24px 32px; color: var(--muted); display: flex; flex-wrap: wrap; gap: 4px 20px; border-top: 1px solid var(--line); }
.status { display: inline-flex; align-items: center; gap: 5px; font-weight: 650; white-space: nowrap; }
.status.big { padding: 3px 12px; border-radius: 999px; border: 1px solid currentColor; }
.tone-ok, .status.is-ok { color: var(--ok); } .status.big.is-ok { background: var(--ok-tint); }
.tone-info, .status.is-info { color: var(--accent); } .status.big.is-info { background: var(--accent-tint); }
.tone-warn, .status.is-warn { color: var(--warn); } .status.big.is-warn { background: var(--warn-tint); }
.tone-error, .status.is-error { color: var(--err); } .status.big.is-error { background: var(--err-tint); }
.status.is-neutral { color: var(--muted); }
.copy { font: inherit; font-size: 12px; margin-inline-start: 8px; padding: 1px 8px; min-height: 24px; min-width: 24px; border: 1px solid var(--control); border-radius: 5px; color: var(--muted); background: transparent; cursor: pointer; }
.copy:hover { background: var(--hover); color: var(--text); }
.count { display: inline-block; min-width: 20px; padding: 0 6px; border-radius: 999px; font-size: 12px; line-height: 18px; text-align: center; font-weight: 600; background: var(--hover); color: var(--muted); font-variant-numeric: tabular-nums; }
.count.is-error { background: var(--err-tint); color: var(--err); } .count.is-warn { background: var(--warn-tint); color: var(--warn); }
.end { text-align: end; } td.end { font-variant-numeric: tabular-nums; white-space: nowrap; }
.text { white-space: pre-wrap; }
.actions { display: flex; flex-wrap: wrap; gap: 8px; }`;

const narrow = `
.miss { max-width: 46rem; margin: 8vh auto; } .miss h1 { margin: 12px 0; } .miss p { margin-bottom: 12px; font-size: 15px; } .miss ul { margin-bottom: 20px; display: flex; flex-wrap: wrap; gap: 8px; }
.keys { border: 1px solid var(--control); border-radius: var(--radius); background: var(--raised); color: var(--text); padding: 18px 22px; max-width: min(34rem, 92vw); } .keys::backdrop { background: #0008; }
.keys .check { display: flex; align-items: center; gap: 8px; } .keys .check input { width: 18px; height: 18px; min-height: 0; margin: 0; }
.keys dl { display: grid; grid-template-columns: auto 1fr; gap: 6px 18px; margin: 12px 0; }
@media (max-width: 900px) {
  .minor { display: none; }
}
@media (max-width: 640px) {
  .bar-top, .page, .foot { padding-inline: 14px; } .bar-top form { margin: 0; width: 100%; flex-wrap: wrap; } .bar-top input { flex: 1 1 5rem; min-width: 0; } .bar-top .button { flex: none; white-space: nowrap; padding-inline: 8px; }
}
@media print { .bar-top, .actions, .copy, .foot { display: none !important; } .page { padding: 0; max-width: none; } }`;

/** What all pages of the profiler add to the look that all pages share. */
export const profilerStyles: InlineAsset = createStyleAsset(frame + narrow);
