import type { ComponentChildren } from 'preact';
import {
  createStyleAsset,
  embed,
  html,
  type HtmlValue,
  type InlineAsset,
  type SafeHtml,
  visibleText,
} from '#html';
import type { Picture, PictureEntry } from './picture.js';
import { branchHead, cutNote, renderLeafText } from './render-picture-text.js';

/** Props of the view: how many levels stand open at first (1). */
export interface PictureViewProps {
  picture: Picture;
  open?: number;
}

/** A picture as a tree that opens and closes without script. Needs `pictureStyles` on the page. */
export function PictureView({ picture, open = 1 }: PictureViewProps): ComponentChildren {
  return embed(renderPicture(picture, open));
}

/** The same as markup. Between its parts stands no space but what is meant. */
export function renderPicture(picture: Picture, open = 1): SafeHtml {
  const entries = picture.entries ?? [];
  if (entries.length === 0) return renderLeaf(picture);
  const [before, after] = picture.type === 'array' ? ['[', ']'] : ['{', '}'];
  const name = html`<span class="pic-class">${visibleText(branchHead(picture))}</span>`;
  const head = html`<summary>
    ${[name, before, html`<span class="pic-more">&hellip;${after}</span>`]}
  </summary>`;
  const items = entries.map(
    (entry) => html`<li>${[renderKey(entry), renderPicture(entry.value, open - 1)]}</li>`,
  );
  const { more = 0 } = picture;
  const rest = more > 0 && html`<li class="pic-note">&hellip; ${more} more, left out</li>`;
  const parts = [
    head,
    html`<ul>
      ${[items, rest]}
    </ul>`,
    after,
  ];
  return open > 0
    ? html`<details class="pic" open>${parts}</details>`
    : html`<details class="pic">${parts}</details>`;
}

function renderKey(entry: PictureEntry): HtmlValue {
  if (entry.keyPicture !== undefined) return [renderPicture(entry.keyPicture, 0), ' => '];
  const name = html`<span class="pic-key pic-${entry.kind}">${visibleText(entry.key)}</span>`;
  return [name, entry.kind === 'key' ? ' => ' : ': '];
}

function renderLeaf(picture: Picture): SafeHtml {
  if (picture.type !== 'string')
    return html`<span class="pic-leaf pic-${picture.type}">${visibleText(renderLeafText(picture))}</span>`;
  const note = cutNote(picture);
  const text = ['"', visibleText(picture.text ?? ''), '"'];
  return html`<span class="pic-leaf pic-string"
    >${[text, note !== '' && html`<span class="pic-note">${note}</span>`]}</span
  >`;
}

/** Styles of the view, with the colours of `baseStyles`. */
export const pictureStyles: InlineAsset = createStyleAsset(`
.pic { display: inline-block; vertical-align: top; max-width: 100%; font: 13px/20px var(--mono); }
.pic > summary { display: inline-block; list-style: none; }
.pic > summary::-webkit-details-marker { display: none; }
.pic > summary::before { content: "\\25b8  "; color: var(--muted); }
.pic[open] > summary::before { content: "\\25be  "; }
.pic[open] > summary > .pic-more { display: none; }
.pic ul { padding-inline-start: 1.4em; border-inline-start: 1px solid var(--line); }
.pic-class, .pic-note, .pic-index, .pic-hidden { color: var(--muted); }
.pic-leaf { font: 13px/20px var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; }
.pic-string { color: var(--code-string); }
.pic-number, .pic-bigint, .pic-boolean, .pic-date { color: var(--code-number); }
.pic-null, .pic-undefined, .pic-getter, .pic-reference, .pic-unreadable { color: var(--muted); }
.pic-function, .pic-symbol, .pic-regexp, .pic-promise, .pic-proxy { color: var(--code-function); }
.pic-redacted { color: var(--warn); }
.pic-key { color: var(--text); font: 13px/20px var(--mono); }
`);
