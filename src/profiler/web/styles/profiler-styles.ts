import { createStyleAsset, type InlineAsset } from '#html';

const frame = `
h1, h2, h3, h4 { text-wrap: balance; }
h4 { font-size: 13px; line-height: 1.4; font-weight: 650; }
.bar-top { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 16px; padding: 8px max(24px, calc(50% - 696px)); background: var(--surface); border-bottom: 1px solid var(--line); }
.brand { display: inline-flex; align-items: center; gap: 8px; font-weight: 700; color: var(--text); text-decoration: none; min-height: 32px; letter-spacing: -.01em; }
.brand .icon { color: var(--accent); width: 20px; height: 20px; }
.bar-top nav { display: flex; flex-wrap: wrap; gap: 4px; }
.bar-top nav a { padding: 4px 10px; min-height: 32px; display: inline-flex; align-items: center; border-radius: 6px; color: var(--text); text-decoration: none; }
.bar-top nav a:hover { background: var(--hover); }
.bar-top nav a[aria-current] { background: var(--accent-tint); color: var(--accent); }
.bar-top form { margin-inline-start: auto; display: flex; gap: 6px; } .tools { display: flex; gap: 2px; }
.quiet { border-color: transparent; background: none; padding-inline: 8px; } .quiet .icon { width: 18px; height: 18px; }
[data-theme-toggle] .icon { display: none; } :root:not([data-theme]) [data-theme-toggle] .icon:first-child, :root[data-theme="light"] [data-theme-toggle] .icon:nth-child(2), :root[data-theme="dark"] [data-theme-toggle] .icon:last-child { display: block; }
.drop { position: relative; > summary { list-style: none; &.button:not(.quiet)::after { content: ""; width: 6px; height: 6px; border: solid; border-width: 0 1.5px 1.5px 0; rotate: 45deg; translate: 0 -2px; margin-inline-start: 6px; } }
> ul { position: absolute; z-index: 5; inset-inline-end: 0; margin-top: 4px; padding: 4px; background: var(--raised); border: 1px solid var(--control); border-radius: var(--radius); box-shadow: 0 6px 20px var(--shadow); }
li > * { display: flex; align-items: center; width: 100%; min-height: 32px; padding: 4px 10px; border: 0; border-radius: 5px; font: inherit; color: var(--text); background: none; text-decoration: none; white-space: nowrap; cursor: pointer; &:hover { background: var(--hover); text-decoration: none; } &[aria-current] { font-weight: 600; } } }
.bar-top input { width: clamp(8rem, 20vw, 16rem); }
.page { max-width: 1440px; margin: 0 auto; padding: 20px 24px 48px; } .is-pane .page { padding-inline: 16px; }
.status { display: inline-flex; align-items: center; gap: 5px; font-weight: 650; white-space: nowrap; }
.status.big { padding: 3px 12px; border-radius: 999px; }
.tone-ok, .is-ok { --tone: var(--ok); --tint: var(--ok-tint); } .tone-info, .is-info { --tone: var(--accent); --tint: var(--accent-tint); } .tone-warn, .is-warn { --tone: var(--warn); --tint: var(--warn-tint); } .tone-error, .is-error { --tone: var(--err); --tint: var(--err-tint); } .is-neutral { --tone: var(--muted); --tint: var(--hover); }
[class*="tone-"], .status, .count[class*="is-"] { color: var(--tone); } .status.big, .count[class*="is-"] { background: var(--tint); }
.copy { font: inherit; font-size: 12px; margin-inline-start: 8px; padding: 1px 8px; min-height: 24px; min-width: 24px; border: 1px solid var(--control); border-radius: 5px; color: var(--muted); background: transparent; cursor: pointer; }
.copy:hover { background: var(--hover); color: var(--text); }
.count { display: inline-block; flex: none; white-space: nowrap; min-width: 20px; padding: 0 6px; border-radius: 999px; font-size: 12px; line-height: 18px; text-align: center; font-weight: 600; background: var(--hover); color: var(--muted); font-variant-numeric: tabular-nums; }
.note { border-radius: 6px; padding: 8px 14px; background: var(--surface); &.note-ok { background: var(--ok-tint); } &.note-info { background: var(--accent-tint); } &.note-warn { background: var(--warn-tint); } &.note-error { background: var(--err-tint); } } .empty { color: var(--muted); }
.end { text-align: end; } td.end { font-variant-numeric: tabular-nums; white-space: nowrap; }
.text { white-space: pre-wrap; }
.actions { display: flex; flex-wrap: wrap; gap: 8px; }`;

const narrow = `
@media (max-width: 900px) {
  .minor { display: none; }
}
@media (max-width: 640px) {
  .bar-top, .page { padding-inline: 14px; } .bar-top form { margin: 0; width: 100%; flex-wrap: wrap; order: 2; } .bar-top input { flex: 1 1 5rem; min-width: 0; } .drop > ul { position: static; } .tools { margin-inline-start: auto; order: 1; } .bar-top { column-gap: 6px; } .bar-top nav { gap: 0; } .bar-top nav a, .tools .button { padding-inline: 6px !important; } .bar-top .button { flex: none; white-space: nowrap; padding-inline: 8px; }
}
@media (max-width: 400px) { .brand { font-size: 0; gap: 0; } }
@media print { .bar-top, .actions, .copy, .drop, .zoom, .miss ul, nav:not(.filters), .filters a:not([aria-current]), form[method=post] { display: none !important; } .page { padding: 0; max-width: none; } }`;

/** Styles of the pages for missing records and confirmations. */
export const missStyles: InlineAsset = createStyleAsset(
  `.miss { max-width: 46rem; margin: 8vh auto; } .miss h1 { margin: 12px 0; } .miss p { margin-bottom: 12px; font-size: 15px; } .miss .actions { align-items: end; } .miss ul { margin-bottom: 20px; display: flex; flex-wrap: wrap; gap: 8px; }`,
);

/** Styles of all profiler pages in addition to `baseStyles`. */
export const profilerStyles: InlineAsset = createStyleAsset(frame + narrow);

/** Colours of the five kinds of work, and their bars: contrast of at least 3:1 on every background in use. */
export const categoryStyles: InlineAsset = createStyleAsset(`
:root { --c-framework: light-dark(#6e7781, #8b949e); --c-app: light-dark(#0b57d0, #8ab4f8); --c-database: light-dark(#8a2fb0, #d2a8ff); --c-http: light-dark(#0f7d8c, #56d4dd); --c-rendering: light-dark(#a15c00, #f2c14e); }
.c-framework { fill: var(--c-framework); } .c-app { fill: var(--c-app); } .c-database { fill: var(--c-database); } .c-http { fill: var(--c-http); } .c-rendering { fill: var(--c-rendering); }
.breakdown { display: inline-block; height: 6px; width: 72px; border-radius: 3px; overflow: hidden; background: var(--hover); vertical-align: middle; }
[dir=rtl] .breakdown { transform: scaleX(-1); }
.breakdown-figures { display: contents; > .breakdown { order: 3; flex: 0 0 100%; } }
.breakdown-figures ul { display: flex; flex-wrap: wrap; align-items: center; gap: 0 16px; font-size: 12px; color: var(--muted); } .breakdown-figures li { display: inline-flex; align-items: center; gap: 5px; } .breakdown-figures b { color: var(--text); font-weight: 500; font-variant-numeric: tabular-nums; }
svg.mark { width: 10px; height: 10px; flex: none; }
@media (forced-colors: active) { .breakdown, .mark { forced-color-adjust: none; border: 1px solid CanvasText; } }`);
