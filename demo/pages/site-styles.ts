import { createStyleAsset } from 'lookback/html';
import type { InlineAsset } from 'lookback/html';

/** The journal's styles, on top of `baseStyles`: a column for reading, with room below for the debug toolbar. */
export const siteStyles: InlineAsset = createStyleAsset(`
body { font-size: 17px; line-height: 1.6; padding-bottom: 5rem; }
.site-head { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem 1.25rem; max-width: 60rem; margin: 0 auto;
  padding: .75rem 1.25rem; border-bottom: 1px solid var(--line); font-size: 15px; }
.site-name { font-weight: 700; color: inherit; text-decoration: none; }
.site-head nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; flex: 1 1 auto; }
.site-head nav a, .account a, .site-name { padding: .2rem 0; }
.languages { display: flex; gap: .25rem; }
.languages button { min-width: 32px; min-height: 28px; padding: 0 .4rem; font: inherit; font-size: 13px; text-transform: uppercase;
  color: var(--accent); background: none; border: 1px solid transparent; border-radius: 6px; cursor: pointer; }
.languages button:hover { background: var(--hover); }
.languages [aria-current] { color: var(--text); border-color: var(--control); font-weight: 650; }
.languages abbr { text-decoration: none; }
.account { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem .75rem; }
main { max-width: 42rem; margin: 0 auto; padding: 1.5rem 1.25rem; }
main:focus { outline: none; }
main > * + *, article > * + *, section > * + *, .prose > * + * { margin-top: 1rem; }
h1 { font-size: 2rem; line-height: 1.2; text-wrap: balance; }
h2 { font-size: 1.25rem; }
main > h2, section > h2 { margin-top: 2.25rem; }
h3 { font-size: 1.05rem; }
.lead { font-size: 1.2rem; color: var(--muted); }
.meta { color: var(--muted); font-size: 15px; }
.plain li { padding: .3rem 0; }
.teasers li { padding: .9rem 0; border-bottom: 1px solid var(--line); }
.teasers a { font-size: 1.15rem; font-weight: 600; }
.prose { font-size: 1.1rem; }
.teasers li > * + * { margin-top: .25rem; }
.teasers dd, .comments p { white-space: pre-wrap; }
.teasers dt { margin-top: .5rem; }
.comments li { padding: .75rem 0; border-bottom: 1px solid var(--line); }
.comments li > form { margin-top: .4rem; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
.notice { padding: .6rem .9rem; background: var(--accent-tint); border-radius: var(--radius); }
.notice.ok { background: var(--ok-tint); color: var(--ok); }
h2 .chip { font-size: 14px; vertical-align: .12em; }
.notice.err { background: var(--err-tint); color: var(--err); }
.fields { display: grid; gap: 1rem; }
.fields > label, .fields > div { display: grid; gap: .3rem; }
.fields label.tick { display: flex; gap: .5rem; align-items: center; }
.fields input:not([type=checkbox]), .fields textarea { width: 100%; }
input[type=checkbox] { width: 20px; min-height: 20px; accent-color: var(--accent); }
.hint { color: var(--muted); font-size: 15px; }
.problem { color: var(--err); font-size: 15px; }
[aria-invalid=true] { border-color: var(--err); }
.button { font-size: 15px; padding: .3rem .9rem; min-height: 36px; }
main table { font-size: 15px; }
main th { overflow-wrap: normal; }
td form { display: flex; flex-wrap: wrap; gap: .4rem; }
.saved { padding: .75rem .9rem; background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); }
.saved h2, .saved .hint { margin-top: 0; }
.words { white-space: pre-wrap; }
mark { color: inherit; background: var(--accent-tint); box-shadow: inset 0 -2px var(--accent); }
pre { padding: .6rem .9rem; background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); white-space: pre-wrap; overflow-wrap: anywhere; }
`);
