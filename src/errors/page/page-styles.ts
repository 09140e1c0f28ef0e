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
.hero h1 { white-space: pre-wrap; max-width: 90ch; letter-spacing: -0.01em; }
.hero h1.long { font-size: 18px; }
.hero .message { margin-top: 8px; color: var(--muted); }
.request-line { font: 13px/20px var(--mono); margin-top: 14px; color: var(--muted); white-space: pre-wrap; }
.request-line b { color: var(--text); }
.hints { display: grid; gap: 12px; margin-top: 18px; padding: 14px 16px; border: 1px solid var(--line); border-inline-start: 4px solid var(--accent);
  border-radius: var(--radius); background: var(--raised); }
.hints > p, .hints .hint-list li { display: flex; gap: 8px; }
.hints .icon { color: var(--accent); margin-top: 2px; }
.hint-block h3 { margin-bottom: 4px; color: var(--muted); font-weight: 600; }
.hint-block li { padding-block: 2px; }
.hint-block .chip { margin-inline-end: 6px; }
.jump { display: flex; flex-wrap: wrap; gap: 4px 20px; padding-top: 20px; }
.jump a { display: inline-flex; align-items: center; min-height: 24px; }
main > section, main > .wrap > section { margin-top: 32px; }
main h2 { display: flex; align-items: center; gap: 8px; margin-bottom: 12px; }
.count { padding: 0 8px; border-radius: 999px; background: var(--hover); color: var(--text); font: 600 12px/20px var(--sans); }
.pad { padding: 16px 20px; }
.empty, .none { color: var(--muted); }
.frame-note { color: var(--muted); padding: 6px 20px; }
footer { margin-top: 48px; padding-block: 20px; border-top: 1px solid var(--line); color: var(--muted); }`;

const chain = `
.chain { display: grid; gap: 2px; }
.chain a { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 2px 12px; padding: 8px 12px; border-radius: 6px; color: var(--text); text-decoration: none; }
.chain a:hover { background: var(--hover); }
.chain b { font: 600 13px/20px var(--mono); }
.chain .text { grid-column: 2; color: var(--muted); display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden; }
.number { display: inline-grid; place-items: center; min-width: 24px; height: 24px; padding-inline: 6px; border-radius: 6px; background: var(--hover);
  color: var(--text); font: 600 12px/1 var(--mono); }
.outer > .error-head .number, .chain .is-outer .number { background: var(--err-tint); color: var(--err); }
.tag { font-size: 12px; font-weight: 600; color: var(--muted); border: 1px solid var(--line); border-radius: 999px; padding: 1px 9px; }
.tag.seen { color: var(--err); border-color: currentColor; }
.error { margin-top: 16px; scroll-margin-top: 12px; overflow: clip; }
.error-head { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 12px; padding: 16px 20px 0; }
.error-head h3 { display: flex; align-items: center; gap: 10px; font-size: 15px; }
.error-head .class { font-family: var(--mono); }
.error > .message { padding: 6px 20px 14px; font-size: 15px; white-space: pre-wrap; }
.properties, .gathered { border-top: 1px solid var(--line); padding: 14px 20px; }
.properties h4, .gathered h4 { margin-bottom: 6px; color: var(--muted); }
.gathered > ol > li { margin-top: 6px; }
.gathered summary { padding-block: 4px; }`;

const frames = `
.frames > li { border-top: 1px solid var(--line); }
.run .frames { border-top: 1px solid var(--line); }
.run .frames > li:first-child { border-top: 0; }
.frame-head, .run > details > summary { display: grid; grid-template-columns: 2.2em minmax(0, max-content) minmax(0, 1fr); align-items: baseline; gap: 4px 12px;
  min-height: 44px; padding: 11px 20px; font: 13px/20px var(--mono); list-style: none; }
summary.frame-head::-webkit-details-marker, .run > details > summary::-webkit-details-marker { display: none; }
summary.frame-head:hover, .run > details > summary:hover { background: var(--hover); }
summary.frame-head:focus-visible, .run summary:focus-visible { outline-offset: -2px; }
.frame-index { color: var(--muted); text-align: end; }
summary.frame-head .frame-index::before { content: "▸"; float: inline-start; margin-inline-start: -10px; }
details[open] > summary.frame-head .frame-index::before { content: "▾"; }
.frame.app .frame-function { font-weight: 650; }
.frame-function .async { font-weight: 400; color: var(--code-keyword); }
.frame-place { color: var(--muted); text-align: end; }
.frame.app .frame-place { color: var(--text); }
.frame:not(.app) .frame-head { min-height: 36px; padding-block: 7px; }
.run > details > summary { display: block; min-height: 36px; padding: 8px 20px 8px calc(20px + 2.2em + 12px); color: var(--muted); font-family: var(--sans);
  background: repeating-linear-gradient(90deg, var(--line) 0 5px, transparent 5px 10px) 20px 50% / 2.2em 1px no-repeat; }
.run > details[open] > summary { background-color: var(--surface); }
.run .frames { background: var(--surface); }
.run-count { font-weight: 600; color: var(--text); }
.code { border-top: 1px solid var(--line); background: var(--surface); padding-block: 6px; line-height: 26px; }
.code:focus-visible { outline-offset: -2px; }
.code code { display: block; width: max-content; min-width: 100%; }
.row { display: block; line-height: 26px; padding-inline-end: 20px; }
.row:nth-child(even) { background: color-mix(in srgb, var(--line) 18%, transparent); }
.row.hit { background: var(--err-tint); box-shadow: inset 3px 0 var(--err); }
.no { display: inline-block; width: 5.5em; padding-inline-end: 1.4em; text-align: end; color: var(--muted); user-select: none; -webkit-user-select: none; }
.hit .no { color: var(--err); font-weight: 700; }
.code mark { color: inherit; background: none; text-decoration: underline wavy var(--err) 1.5px; text-underline-offset: 4px; }
.ck { color: var(--code-keyword); } .cs { color: var(--code-string); } .cn { color: var(--code-number); }
.cf { color: var(--code-function); } .ct { color: var(--code-type); } .cc { color: var(--code-comment); font-style: italic; }
.frame-foot { display: flex; flex-wrap: wrap; justify-content: end; gap: 4px 16px; padding: 4px 20px; border-top: 1px solid var(--line); }
.frame-foot:empty { display: none; }
.edit { display: inline-flex; align-items: center; gap: 6px; min-height: 28px; }
.changed { color: var(--warn); margin-inline-end: auto; }`;

const rest = `
.trace { font: 13px/22px var(--mono); padding: 16px 20px; }
.trace li { display: grid; grid-template-columns: 3em minmax(0, 1fr); gap: 10px; }
.trace .trace-no { color: var(--muted); text-align: end; }
.trace h3 { font-family: var(--mono); margin-block: 14px 4px; white-space: pre-wrap; }
.trace h3:first-child { margin-top: 0; }
.trace .lib { color: var(--muted); }
.log { display: grid; grid-template-columns: 6em 6.5em minmax(0, 1fr); gap: 4px 12px; align-items: baseline; padding: 7px 20px; border-top: 1px solid var(--line); }
.log:first-child { border-top: 0; }
.log .chip { justify-self: start; font-size: 12px; }
.log-time { font: 12px/20px var(--mono); color: var(--muted); text-align: end; }
.log-channel { font: 12px/20px var(--mono); color: var(--muted); padding-inline-end: 6px; }
.log-text { white-space: pre-wrap; }
.log.err .log-text { font-weight: 550; }
#request h3 { margin-block: 18px 4px; color: var(--muted); }
#request .request-line { margin-top: 0; }
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
  .brand { flex-basis: 100%; }
  .frame-head { grid-template-columns: 1.6em minmax(0, 1fr); padding-inline: 16px; }
  .frame-place { grid-column: 2; text-align: start; }
  .run > details > summary { padding-inline-start: calc(16px + 1.6em + 12px); background-image: none; }
  .error-head, .error > .message, .frame-note, .properties, .gathered, .trace, .pad { padding-inline: 16px; }
  .no { width: 3.8em; padding-inline-end: .8em; }
  .log { grid-template-columns: auto minmax(0, 1fr); padding-inline: 16px; }
  .log-text { grid-column: 1 / -1; }
  .log-time { text-align: start; }
}
@media (forced-colors: active) { .row.hit { outline: 1px solid Mark; } .hero, .hints { border-color: CanvasText; } }
@media print { .hero, .top, .code, .run .frames { background: none; } .frame-foot, .jump { display: none; } .row, .code code { white-space: pre-wrap; width: auto; } .plain { max-height: none; } }`;

/** What the error page adds to `baseStyles`. */
export const pageStyles: InlineAsset = createStyleAsset((layout + chain + frames + rest).trimStart());
