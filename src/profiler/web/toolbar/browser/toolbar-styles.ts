/** Toolbar styles, in the profiler pages' colours. */
// oxlint-disable-next-line no-unused-vars -- toolbar.ts is a part of the same script
const toolbarStyles = `
:host { all: initial !important; position: fixed !important; inset: auto 0 0 0 !important; z-index: 2147483647 !important; display: block !important; pointer-events: none !important; direction: ltr !important; color-scheme: light dark !important; }
:host([data-theme=light]) { color-scheme: light !important; } :host([data-theme=dark]) { color-scheme: dark !important; }
.strip, .tab { --page: light-dark(#ffffff, #101216); --surface: light-dark(#f5f6f8, #171a20); --line: light-dark(#e2e4ea, #2a2f38); --control: light-dark(#858a95, #6d7480);
  --text: light-dark(#14161b, #eceef2); --muted: light-dark(#59606b, #a0a8b4);
  --ok: light-dark(#1a6e3c, #7fd6a0); --warn: light-dark(#7a4f01, #f2c14e); --warn-tint: light-dark(#fdf3dc, #2e2714); --err: light-dark(#b3261e, #ff9b8f); --err-tint: light-dark(#fdeceb, #37201f);
  --sans: system-ui, -apple-system, "Segoe UI", sans-serif; --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; }
* { box-sizing: border-box; }
.strip, .card, .tab { pointer-events: auto; font: 13px/20px var(--sans); font-variant-numeric: tabular-nums; color: var(--text); background: var(--page); }
.strip { display: flex; height: 36px; border-top: 1px solid var(--line); box-shadow: 0 -6px 24px rgb(0 0 0 / .1); }
ul { margin: 0; padding: 0; list-style: none; }
.entries { display: flex; flex: 1; min-width: 0; overflow-x: auto; scrollbar-width: none; } .entries > li { display: flex; flex: none; }
.entries a.entry, .strip > div > button, .tab, .close { display: flex; align-items: center; gap: 7px; height: 35px; min-width: 24px; padding: 0 12px; color: inherit; font: inherit; text-decoration: none; background: none; border: 0 solid var(--line); white-space: nowrap; cursor: pointer; }
.entries > li + li > .entry, .strip > div > button, .close { border-inline-start-width: 1px; }
.is-open > .entry, .is-open > button { background: var(--surface); box-shadow: inset 0 2px var(--text); }
:focus-visible { outline: 2px solid var(--text); outline-offset: -3px; border-radius: 3px; }
b, [data-entry=status] > span, [data-entry=time] > span { font-weight: 600; } .code { font: 12.5px/20px var(--mono); max-width: 280px; overflow: hidden; text-overflow: ellipsis; } .muted { color: var(--muted); }
.ok { color: var(--ok); } .warn { color: var(--warn); } .error { color: var(--err); }
.chip { border-radius: 5px; padding: 0 7px; font: 600 12px/18px var(--sans); background: var(--surface); color: var(--text); } .chip.warn { background: var(--warn-tint); color: var(--warn); } .chip.error { background: var(--err-tint); color: var(--err); }
svg { display: block; flex: none; forced-color-adjust: none; } svg[viewBox] { width: 16px; height: 16px; } .req-bar rect { height: 100%; } .entry .req-bar { width: 72px; height: 10px; }
.c-framework { fill: light-dark(#70757e, #666b74); } .c-app { fill: light-dark(#0e94bf, #5fdcf8); } .c-database { fill: light-dark(#5a2bd8, #8b78fa); } .c-http { fill: light-dark(#df691e, #c97a12); } .c-rendering { fill: light-dark(#8a1250, #f78fae); } .c-profiler { fill: var(--muted); } .c-waiting { fill: url(#hatch-app) var(--line); stroke: light-dark(#0e94bf, #5fdcf8); } .c-busy { fill: url(#hatch-busy) var(--line); stroke: var(--control); } .visually-hidden { position: absolute; width: 0; height: 0; } .c-unaccounted { fill: var(--page); stroke: var(--control); stroke-dasharray: 3 2; } .thin { fill: var(--line); }
.card { position: fixed; bottom: 36px; width: min(400px, 100vw); padding: 0 0 8px; background: none; white-space: normal; cursor: auto; }
.sheet { padding: 14px 16px; border: 1px solid var(--line); border-radius: 10px; background: var(--page); box-shadow: 0 12px 40px rgb(0 0 0 / .22); max-height: calc(100vh - 52px); overflow: auto; overflow-wrap: anywhere; }
.card a { color: inherit; text-decoration: underline; text-decoration-color: var(--control); text-underline-offset: 3px; } .card a:hover { text-decoration-color: currentColor; } .card a:focus-visible { outline-offset: 1px; }
.number { font: 650 32px/36px var(--sans); letter-spacing: -.04em; } .number { margin-inline-end: 8px; } .note { display: inline-block; } .number.small { font-size: 20px; line-height: 26px; letter-spacing: -.015em; }
.sentence { margin: 4px 0 10px; font-size: 14px; font-weight: 500; } .sentence a { text-decoration-color: transparent; }
.card .req-bar { width: 100%; height: 16px; }
.legend { display: grid; grid-template-columns: 1fr 1fr; gap: 2px 20px; margin-top: 10px; } .legend li { display: flex; align-items: center; gap: 7px; color: var(--muted); } .legend strong { margin-left: auto; color: var(--text); font-weight: 600; white-space: nowrap; } .legend li:is(:last-child:nth-child(odd), :has(.c-unaccounted)) { grid-column: 1 / -1; }
.facts { margin: 8px 0 0; } .facts dt { color: var(--muted); } .facts dd { margin: 0 0 6px; font: 12.5px/20px var(--mono); display: -webkit-box; -webkit-line-clamp: 3; -webkit-box-orient: vertical; overflow: hidden; }
.links { display: flex; flex-wrap: wrap; gap: 4px 14px; margin-top: 10px; padding-top: 6px; border-top: 1px solid var(--line); } .links a { display: inline-block; line-height: 24px; }
.calls { width: min(640px, 100vw); right: 0; } .calls .sheet { padding: 6px; max-height: min(60vh, 420px); overflow: auto; }
.calls a { display: grid; grid-template-columns: 40px 56px 1fr auto; gap: 6px; padding: 0 8px; line-height: 30px; text-decoration: none; border-radius: 6px; white-space: nowrap; } .calls a:hover { background: var(--surface); } .calls span:nth-child(3) { overflow: hidden; text-overflow: ellipsis; }
.tab { position: absolute; right: 0; bottom: 0; width: 36px; height: 36px; justify-content: center; padding: 0; border-width: 1px 0 0 1px; border-start-start-radius: 8px; background: var(--page); }
[hidden] { display: none !important; }
@media (max-width: 900px) { .minor { display: none !important; } }
@media (max-width: 480px) { .legend { grid-template-columns: 1fr; } .entries a.entry, .strip > div > button, .close { padding: 0 7px; gap: 5px; } .entry .req-bar { display: none; } .card { left: 0 !important; right: 0; width: auto; padding-inline: 8px; } }
@media (prefers-contrast: more) { .strip, .tab { --line: var(--control); --muted: var(--text); } }
@media (forced-colors: active) { .sheet, .chip { border: 1px solid CanvasText; } }
@media print { :host { display: none !important; } }`;
