import { createStyleAsset, type InlineAsset } from '#html';

/** Five colours for the kinds of work, and the bars of them: at least 3:1 on every ground that they stand on. */
export const categoryStyles: InlineAsset = createStyleAsset(`
:root { --c-framework: light-dark(#6e7781, #8b949e); --c-app: light-dark(#0b57d0, #8ab4f8); --c-database: light-dark(#8a2fb0, #d2a8ff); --c-http: light-dark(#0f7d8c, #56d4dd); --c-rendering: light-dark(#a15c00, #f2c14e); }
.c-framework { fill: var(--c-framework); } .c-app { fill: var(--c-app); } .c-database { fill: var(--c-database); } .c-http { fill: var(--c-http); } .c-rendering { fill: var(--c-rendering); }
.breakdown { display: inline-block; height: 6px; width: 72px; border-radius: 3px; overflow: hidden; background: var(--hover); vertical-align: middle; }
[dir=rtl] .breakdown { transform: scaleX(-1); }
.breakdown-figures { display: contents; > .breakdown { order: 3; flex: 0 0 100%; } }
.breakdown-figures ul { display: flex; flex-wrap: wrap; align-items: center; gap: 0 16px; font-size: 12px; color: var(--muted); } .breakdown-figures li { display: inline-flex; align-items: center; gap: 5px; } .breakdown-figures b { color: var(--text); font-weight: 500; font-variant-numeric: tabular-nums; }
svg.mark { width: 10px; height: 10px; flex: none; }
@media (forced-colors: active) { .breakdown, .mark { forced-color-adjust: none; border: 1px solid CanvasText; } }`);
