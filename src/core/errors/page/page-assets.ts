import { createScriptAsset, createStyleAsset, type InlineAsset } from '#core/html';

const chain = `
:root { --code-keyword: light-dark(#8a2fb0, #d2a8ff); --code-type: light-dark(#0f6070, #76d4e4); --code-comment: light-dark(#5c656f, #9aa4af); }
@media (prefers-contrast: more) { :root { --code-comment: var(--text); } }
.errs { display: grid; grid-template-columns: 328px minmax(0, 1fr); gap: 24px; align-items: start; }
.errs > nav { position: sticky; top: 12px; max-height: calc(100vh - 24px); overflow: auto; }
.chain ol { padding-inline-start: 16px; }
.chain a { display: block; padding: 9px 12px; border-inline-start: 3px solid var(--line); text-decoration: none; }
.chain a:hover { background: var(--surface); }
.chain a.is-origin { border-color: var(--err); background: var(--err-tint); }
.chain b { display: block; line-height: 19px; font-weight: 600; display: -webkit-box; -webkit-line-clamp: 3; -webkit-box-orient: vertical; overflow: hidden; overflow-wrap: break-word; }
.chain small { display: block; color: var(--muted); font-size: 12.5px; }
.error { scroll-margin-top: 12px; margin-bottom: 24px; }
.error-head { margin-bottom: 10px; }
.error-head h3 { font-size: 17px; line-height: 24px; white-space: pre-wrap; }
.error-head.is-lead h3 { font-size: 22px; line-height: 30px; font-weight: 500; }
.error-head p { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 8px; font-size: 12.5px; color: var(--muted); }
.error-head p b { color: var(--text); }
.error .message { white-space: pre-wrap; }
.tag { display: inline-block; padding: 0 7px; border-radius: 5px; font: 600 12px/20px var(--sans); background: var(--surface); color: var(--text); white-space: nowrap; }
.properties, .gathered { margin-bottom: 14px; } .error > .facts { margin-bottom: 14px; } .properties > summary { color: var(--muted); cursor: pointer; }
.worked, .failed { padding: 1px 3px; border-radius: 3px; color: var(--ok); background: var(--ok-tint); } .failed { color: var(--err); background: var(--err-tint); }
:is(.code, .listing) mark[data-value] { display: inline-block; vertical-align: top; text-decoration: none; > span { text-decoration: underline wavy var(--err) 1px; text-underline-offset: 4px; } &::after { display: block; width: 0; white-space: pre; color: var(--err); content: attr(data-value); } }
.bars { display: block; margin-top: 4px; fill: var(--err); } .bars .base { fill: var(--line); }
.properties h4, .gathered h4 { margin-bottom: 6px; color: var(--muted); }
.gathered > ol > li { margin-top: 6px; }
.gathered > ol > li > details > summary { padding-block: 4px; margin-bottom: 6px; small { color: var(--muted); } }`;

const frames = `
.card { background: var(--page); border: 1px solid var(--line); border-radius: 8px; margin-bottom: 14px; overflow: clip; }
.frame { position: relative; }
.frame-head { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 10px; min-height: 34px; padding: 7px 14px; background: var(--surface); font-size: 13px; line-height: 20px; list-style: none; }
.frame-head::-webkit-details-marker { display: none; }
details[open] > .frame-head .frame-function { font-weight: 600; }
summary.frame-head:hover .frame-function { text-decoration: underline; }
summary.frame-head:focus-visible { outline-offset: -2px; }
.frame-function .async, .frame-number { color: var(--muted); font-weight: 400; }
.frame-place { margin-inline-start: auto; font: 12.5px/20px var(--mono); }
.frame a.frame-place { position: absolute; inset-block-start: 5px; inset-inline-end: 12px; padding: 2px; }
.frame:not(.app) .frame-head { background: none; color: var(--muted); }
.fold { border: 1px dashed var(--control); border-radius: 8px; margin-bottom: 14px; color: var(--muted); }
.fold > summary { padding: 5px 14px; }
.fold > summary:focus-visible { outline-offset: -2px; }
.run-calls { padding: 0 14px 8px; font: 12.5px/22px var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; }
.code { padding-block: 6px; overflow-x: auto; }
.code:focus-visible { outline-offset: -2px; }
.code code { display: block; width: max-content; min-width: 100%; }
.row { display: block; line-height: 22px; padding-inline-end: 14px; }
.row.hit { background: var(--err-tint); box-shadow: inset 3px 0 var(--err); }
.no { display: inline-block; width: 52px; padding-inline-end: 14px; text-align: end; color: var(--muted); user-select: none; -webkit-user-select: none; }
.hit .no { color: var(--err); font-weight: 700; }
.code mark { color: inherit; background: none; text-decoration: underline wavy var(--err) 1px; text-underline-offset: 4px; }
.ck { color: var(--code-keyword); } .cs { color: var(--code-string); } .cn { color: var(--code-number); }
.cf { color: var(--code-function); } .ct { color: var(--code-type); } .cc { color: var(--code-comment); font-style: italic; }
.vars { border-top: 1px solid var(--line); display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 18px; padding: 6px 14px; font: 12.5px/20px var(--mono); }
.vars dt { color: var(--muted); padding-block: 1px; max-width: 16em; } .vars dd { padding-block: 1px; overflow-wrap: anywhere; }
.vars .why > :first-child { background: var(--warn-tint); padding: 1px 6px; margin-inline-start: -6px; border-radius: 4px; }
.vars summary { list-style: none; display: inline; } .vars summary::before { content: "\\25b8  "; color: var(--muted); } .vars [open] > summary::before { content: "\\25be  "; }
.changed { color: var(--warn); padding: 4px 14px; border-top: 1px solid var(--line); }`;

const conditions = `
.frame-note { color: var(--muted); padding: 4px 0 10px; }
@media (max-width: 820px) { .errs { grid-template-columns: minmax(0, 1fr); } .errs > nav { position: static; max-height: 40vh; } }
@media (max-width: 640px) {
  .frame a.frame-place { position: static; display: block; padding: 4px 14px; text-align: end; }
  .no { width: 3.8em; padding-inline-end: .8em; }
  .vars { grid-template-columns: minmax(0, 1fr); } .vars dd { padding-inline-start: 14px; }
}
@media (forced-colors: active) { .card { border-color: CanvasText; } .row.hit { outline: 1px solid Mark; } }
@media print { .code, .run-calls, .frame-head { background: none; } .row, .code code { white-space: pre-wrap; width: auto; } .frame a.frame-place { position: static; } .errs { display: block; } .errs > nav { display: none; } }`;

/** `ErrorChain` styles, with the colours of `baseStyles`. */
export const chainStyles: InlineAsset = createStyleAsset(chain + frames + conditions);

const layout = `
.fail { border-top: 4px solid var(--err); } .fail.s4 { border-top-color: var(--warn); }
.wrap { max-width: 1160px; margin-inline: auto; padding-inline: 24px; }
.top { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 8px; min-height: 44px; padding: 4px 24px; border-bottom: 1px solid var(--line); }
.brand { margin-inline-end: auto; }
.lead { padding: 18px 0 16px; }
.lead h1 { font-size: 34px; line-height: 40px; letter-spacing: -.03em; font-weight: 650; padding: 10px 0 6px; text-wrap: balance; white-space: pre-wrap; }
.lead h1.long { font-size: 20px; line-height: 28px; letter-spacing: 0; }
.small { font-size: 12.5px; color: var(--muted); } .small b { color: var(--text); }
.request-line { display: inline; font: 12.5px/20px var(--mono); color: var(--muted); white-space: pre-wrap; margin-inline-start: 8px; }
.history { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 230px), 1fr)); gap: 8px 24px; margin-bottom: 20px; dt { color: var(--muted); font-size: 13px; } dd { white-space: pre-line; overflow-wrap: anywhere; } }
#statement .pad { white-space: pre-wrap; overflow-wrap: anywhere; }
.hints { display: grid; gap: 10px; margin-bottom: 20px; padding: 10px 14px; background: var(--surface); border-radius: 8px; }
.hint-block h2 { color: var(--muted); font-size: 14px; line-height: 20px; font-weight: 600; }
.hint-block .chip { margin-inline-end: 6px; }
main section > h2 { display: flex; align-items: baseline; gap: 10px; font-size: 14px; line-height: 20px; padding-bottom: 6px; margin-bottom: 8px; border-bottom: 1px solid var(--line); }
main section { margin-bottom: 24px; }
main #errors { margin-bottom: 10px; } #errors .error { margin-bottom: 14px; }
main section > h2 .count { font-weight: 400; font-size: 13px; color: var(--muted); }
footer { margin-top: 24px; padding-block: 16px; border-top: 1px solid var(--line); color: var(--muted); font-size: 13px; }`;

const smallParts = `
.chip { display: inline-block; padding: 0 7px; border-radius: 5px; font: 600 12px/20px var(--sans); background: var(--surface); color: var(--text); white-space: nowrap; }
code.chip { font-family: var(--mono); }
.chip.warn { color: var(--warn); background: var(--warn-tint); }
.chip.err { color: var(--err); background: var(--err-tint); }
.pad { padding: 10px 14px; }
.empty, .none { color: var(--muted); }
.log { display: grid; grid-template-columns: 76px 64px minmax(0, 1fr); gap: 0 12px; padding-block: 4px; border-bottom: 1px solid var(--line); font-size: 13px; }
.log.err { color: var(--err); } .log.warn .log-level { color: var(--warn); }
.log-time, .log-channel { color: var(--muted); } .log.err .log-time, .log.err .log-channel { color: inherit; }
.log-text { white-space: pre-wrap; overflow-wrap: anywhere; }
#request h3 { margin-block: 14px 4px; color: var(--muted); }
#request .request-line { margin: 0; }
.plain { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 30em; overflow: auto; padding: 10px 12px; background: var(--surface); border-radius: 6px; }
td, tr > th[scope="row"] { min-width: 6em; }
tr > th[scope="row"] { color: var(--text); }
tr:last-child > * { border-bottom: 0; }
.status { position: fixed; inset-block-end: 16px; inset-inline-end: 16px; padding: 8px 16px; border-radius: 8px; background: var(--text); color: var(--page); }
.status:empty { display: none; }
@media (max-width: 640px) {
  .wrap, .top { padding-inline: 14px; }
  .lead h1 { font-size: 26px; line-height: 31px; }
  .top .primary { flex-basis: 100%; justify-content: center; }
  .request-line { display: block; margin: 6px 0 0; }
  .log { grid-template-columns: auto minmax(0, 1fr); } .log-text { grid-column: 1 / -1; }
}
@media print { .top, #as-markdown { display: none; } .plain { max-height: none; } .wrap { max-width: none; padding-inline: 0; } }`;

/** Error page styles in addition to `baseStyles`. */
export const pageStyles: InlineAsset = createStyleAsset(layout + smallParts);

/** Copies the Markdown (with the button or the `m` key); without scripts, the text on the page can be selected. */
export const pageScript: InlineAsset = createScriptAsset(`(() => {
  const status = document.querySelector('[data-status]');
  const [copied, selected] = status.dataset.status.split('|');
  const say = (text) => { status.textContent = text; setTimeout(() => { status.textContent = ''; }, 2500); };
  const copy = async (button) => {
    const source = document.getElementById(button.dataset.copy);
    const text = source.textContent;
    try {
      await navigator.clipboard.writeText(text);
      say(copied);
    } catch {
      const fold = source.closest('details');
      if (fold) fold.open = true;
      getSelection().selectAllChildren(source);
      say(document.execCommand('copy') ? copied : selected);
    }
  };
  for (const button of document.querySelectorAll('[data-script]')) button.hidden = false;
  addEventListener('click', (event) => {
    const button = event.target instanceof Element && event.target.closest('[data-copy]');
    if (button) void copy(button);
  });
  addEventListener('keydown', (event) => {
    if (event.key !== 'm' || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]')) return;
    const button = document.querySelector('[data-copy="markdown"]');
    if (button) void copy(button);
  });
})();`);
