import { createStyleAsset, type InlineAsset } from '#html';

const layout = `
.wrap { max-width: 1120px; margin-inline: auto; padding-inline: 24px; }
.top { border-bottom: 1px solid var(--line); background: var(--surface); }
.top .wrap { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; padding-block: 10px; }
.brand { display: inline-flex; align-items: center; gap: 8px; font-weight: 700; margin-inline-end: auto; }
.brand .icon { color: var(--accent); width: 20px; height: 20px; }
.hero { border-top: 6px solid var(--err); background: var(--surface); border-bottom: 1px solid var(--line); }
.hero.s4 { border-top-color: var(--warn); }
.hero .wrap { padding-block: 28px 24px; }
.hero-line { display: flex; flex-wrap: wrap; align-items: center; gap: 10px; margin-bottom: 14px; }
.hero-line .class { font: 600 13px/20px var(--mono); color: var(--muted); }
.hero h1 { white-space: pre-wrap;  letter-spacing: -0.01em; }
.hero h1.long { font-size: 18px; }
.hero .message { margin-top: 8px; color: var(--muted); }
.request-line { font: 13px/20px var(--mono); margin-top: 14px; color: var(--muted); white-space: pre-wrap; }
.request-line b { color: var(--text); }
.hints { display: grid; gap: 12px; margin-top: 18px; padding: 14px 16px; border: 1px solid var(--line); border-inline-start: 4px solid var(--accent);
  border-radius: var(--radius); background: var(--raised); }
.hints > p { display: flex; gap: 8px; }
.hints .icon { color: var(--accent); margin-top: 2px; }
.hint-block h2 { margin-bottom: 4px; color: var(--muted); font-size: 14px; font-weight: 600; }
.hint-block li { padding-block: 2px; }
.hint-block .chip { margin-inline-end: 6px; }
.jump { display: flex; flex-wrap: wrap; gap: 4px 20px; padding-top: 20px; }
.jump a { display: inline-flex; align-items: center; min-height: 24px; }
main > section, main > .wrap > section { margin-top: 32px; }
main h2 { display: flex; align-items: center; gap: 8px; margin-bottom: 12px; }
footer { margin-top: 48px; padding-block: 20px; border-top: 1px solid var(--line); color: var(--muted); }`;

const smallParts = `
.chip { display: inline-flex; align-items: center; gap: 5px; padding: 1px 9px; border-radius: 999px; font-weight: 600;
  background: var(--surface); color: var(--text); }
.chip.ok { color: var(--ok); background: var(--ok-tint); border-color: transparent; }
.chip.warn { color: var(--warn); background: var(--warn-tint); border-color: transparent; }
.chip.err { color: var(--err); background: var(--err-tint); border-color: transparent; }
.count { padding: 0 8px; border-radius: 999px; background: var(--hover); color: var(--text); font: 600 12px/20px var(--sans); }
.pad { padding: 16px 20px; }
.empty, .none { color: var(--muted); }
.trace { font: 13px/22px var(--mono); padding: 16px 20px; }
.trace li { display: grid; grid-template-columns: 3em minmax(0, 1fr); gap: 10px; }
.trace .trace-no { color: var(--muted); text-align: end; }
.trace h3 { font-family: var(--mono); margin-block: 14px 4px; white-space: pre-wrap; }
.trace h3:first-child { margin-top: 0; }
.trace .lib { color: var(--muted); }
.log { display: grid; grid-template-columns: 7.5em 6.5em minmax(0, 1fr); gap: 4px 12px; align-items: baseline; padding: 7px 20px; border-top: 1px solid var(--line); }
.log:first-child { border-top: 0; }
.log .chip { justify-self: start; font-size: 12px; }
.log-time { font: 12px/20px var(--mono); color: var(--muted); text-align: end; }
.log-channel { font: 12px/20px var(--mono); color: var(--muted); padding-inline-end: 6px; }
.log-text { white-space: pre-wrap; }
.log.err .log-text { font-weight: 550; } .log details { font-weight: 400; }
#request h3 { margin-block: 18px 4px; color: var(--muted); }
#request .request-line { margin-top: 0; }
.others { margin-top: 10px; } .others summary { color: var(--muted); margin-bottom: 8px; }
.plain { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 30em; overflow: auto; padding: 10px 12px; background: var(--surface); border-radius: 6px; }
td, tr > th[scope="row"] { min-width: 6em; }
tr > th[scope="row"] { color: var(--text); }
tr:last-child > * { border-bottom: 0; }
.status { position: fixed; inset-block-end: 16px; inset-inline-end: 16px; padding: 8px 16px; border-radius: 8px; background: var(--text); color: var(--page); }
.status:empty { display: none; }
@media (max-width: 640px) {
  .wrap { padding-inline: 16px; }
  .hero .wrap { padding-block: 18px; }
  h1 { font-size: 20px; }
  .top .wrap { gap: 6px; }
  .top .button { padding-inline: 8px; font-size: 13px; }
  .top .primary { flex-basis: 100%; justify-content: center; }
  .trace, .pad { padding-inline: 16px; }
  .log { grid-template-columns: auto minmax(0, 1fr); padding-inline: 16px; }
  .log-text { grid-column: 1 / -1; }
  .log-time { text-align: start; }
}
@media (forced-colors: active) { .hero, .hints { border-color: CanvasText; } }
@media print { .hero { background: none; } .top, .jump, #as-markdown, #stack { display: none; } .plain { max-height: none; } .wrap { max-width: none; padding-inline: 0; } }`;

/** Styles of the error page in addition to `baseStyles`. */
export const pageStyles: InlineAsset = createStyleAsset((layout + smallParts).trimStart());
