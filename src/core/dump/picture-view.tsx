import {
  type ComponentChildren,
  createStyleAsset,
  type InlineAsset,
  visibleText,
  type VNode,
} from '#core/html';
import type { Picture, PictureEntry } from './picture.js';
import { branchHead, cutNote, renderLeafText } from './render-picture-text.js';

/** Props of `PictureView`; `open` is the number of levels that are initially expanded (default 1). */
export interface PictureViewProps {
  picture: Picture;
  open?: number;
}

/** A picture as a tree of `details` elements, which needs no script. Needs `pictureStyles` on the page. */
export function PictureView({ picture, open = 1 }: PictureViewProps): VNode {
  const { entries = [], more = 0 } = picture;
  if (entries.length === 0) return <Leaf picture={picture} />;
  const [before, after] = picture.type === 'array' ? ['[', ']'] : ['{', '}'];
  return (
    <details class="pic" open={open > 0}>
      <summary>
        <span class="pic-class">{visibleText(branchHead(picture))}</span>
        {before}
        <span class="pic-more">…{after}</span>
      </summary>
      <ul>
        {entries.map((entry) => (
          <li>
            <Key entry={entry} />
            <PictureView picture={entry.value} open={open - 1} />
          </li>
        ))}
        {more > 0 && <li class="pic-note">… {more} more, left out</li>}
      </ul>
      {after}
    </details>
  );
}

function Key({ entry: { keyPicture, kind, key } }: { entry: PictureEntry }): ComponentChildren {
  return keyPicture === undefined ? (
    <>
      <span class={`pic-key pic-${kind}`}>{visibleText(key)}</span>
      {kind === 'key' ? ' => ' : ': '}
    </>
  ) : (
    <>
      <PictureView picture={keyPicture} open={0} />
      {' => '}
    </>
  );
}

function Leaf({ picture }: { picture: Picture }): VNode {
  if (picture.type !== 'string')
    return <span class={`pic-leaf pic-${picture.type}`}>{visibleText(renderLeafText(picture))}</span>;
  const note = cutNote(picture);
  return (
    <span class="pic-leaf pic-string">
      "{visibleText(picture.text ?? '')}"{note !== '' && <span class="pic-note">{note}</span>}
    </span>
  );
}

/** Styles of `PictureView`; they use the colours of `baseStyles`. */
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
.pic-key, .pic-leaf { unicode-bidi: isolate; }
.pic-string { color: var(--code-string); }
.pic-number, .pic-bigint, .pic-boolean, .pic-date { color: var(--code-number); }
.pic-null, .pic-undefined, .pic-getter, .pic-reference, .pic-unreadable { color: var(--muted); }
.pic-function, .pic-symbol, .pic-regexp, .pic-promise, .pic-proxy { color: var(--code-function); }
.pic-redacted { color: var(--warn); }
.pic-key { color: var(--text); font: 13px/20px var(--mono); }
`);
