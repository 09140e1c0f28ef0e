/** What the toolbar looks like; its colours are those of the profiler's pages. */
// oxlint-disable-next-line no-unused-vars -- toolbar.ts is a part of the same script
const toolbarStyles = `
:host { all: initial; position: fixed; inset: auto 0 0 0; z-index: 2147483647; pointer-events: none; color-scheme: light dark;
  --page: light-dark(#f6f8fa, #1c1f25); --raised: light-dark(#ffffff, #22262d); --line: light-dark(#818b98, #7a8490); --hover: light-dark(#e4e8ec, #2f353e);
  --text: light-dark(#1f2328, #e6e8eb); --muted: light-dark(#59636e, #a3abb5); --accent: light-dark(#0b57d0, #8ab4f8);
  --ok: light-dark(#1a6e3c, #7fd6a0); --warn: light-dark(#7a4f01, #f2c14e); --err: light-dark(#b3261e, #ff9b8f); }
:host([data-theme=light]) { color-scheme: light; } :host([data-theme=dark]) { color-scheme: dark; }
* { box-sizing: border-box; }
.strip, .calls, .tab { pointer-events: auto; font: 13px/20px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; color: var(--text); background: var(--page); }
.strip { display: flex; height: 36px; border-block-start: 1px solid var(--line); }
.items { display: flex; flex: 1; min-width: 0; overflow-x: auto; scrollbar-width: none; margin: 0; padding: 0; list-style: none; }
.items > li { display: flex; flex: none; }
a, button, .fact { display: inline-flex; align-items: center; gap: 6px; padding: 0 10px; min-width: 24px; height: 100%; color: inherit; font: inherit; text-decoration: none; background: none; border: 0; white-space: nowrap; }
button { cursor: pointer; } a:hover, button:hover { background: var(--hover); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -3px; border-radius: 5px; }
b { font-weight: 650; } .muted { color: var(--muted); } code { font: 12px/18px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.ok { color: var(--ok); } .info { color: var(--accent); } .warn { color: var(--warn); } .error { color: var(--err); } .end { margin-inline-start: auto; }
.bar { display: inline-flex; width: 60px; height: 8px; border-radius: 2px; overflow: hidden; forced-color-adjust: none; }
.bar i { flex: 1 1 0; background: light-dark(#6e7781, #8b949e); } .bar i:nth-child(2) { background: light-dark(#0b57d0, #8ab4f8); } .bar i:nth-child(3) { background: light-dark(#8a2fb0, #d2a8ff); } .bar i:nth-child(4) { background: light-dark(#0f7d8c, #56d4dd); } .bar i:nth-child(5) { background: light-dark(#a15c00, #f2c14e); }
.calls { position: absolute; inset: auto 0 36px auto; width: min(100%, 640px); max-height: min(60vh, 420px); overflow: auto; border: 1px solid var(--line); border-block-end: 0; background: var(--raised); margin: 0; padding: 0; list-style: none; }
.calls a { display: grid; grid-template-columns: 40px 56px 1fr auto; width: 100%; height: 32px; } .calls span:nth-child(3) { overflow: hidden; text-overflow: ellipsis; }
.calls p { margin: 0; padding: 8px 12px; }
.tab { position: absolute; inset: auto 0 0 auto; width: 36px; height: 36px; justify-content: center; border: 1px solid var(--line); border-width: 1px 0 0 1px; border-start-start-radius: 8px; }
.dot { width: 10px; height: 10px; border-radius: 50%; background: currentColor; forced-color-adjust: none; }
[hidden] { display: none !important; }
@media (max-width: 720px) { .minor { display: none !important; } .items a, .items .fact { padding: 0 7px; } }
@media (max-width: 420px) { .bar { display: none; } .items a, .items .fact { padding: 0 5px; font-size: 12px; } }
@media print { :host { display: none !important; } }`;
