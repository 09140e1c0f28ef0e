import {
  type ComponentChildren,
  createStyleAsset,
  type InlineAsset,
  visibleText,
  type VNode,
} from '#core/html';
import type { Snapshot, SnapshotEntry } from './snapshot.js';
import { branchHead, cutNote, moreText, renderLeafText } from './render-snapshot-text.js';

/** `SnapshotView` props; `open` is the number of levels that are initially expanded (default 1). */
export interface SnapshotViewProps {
  snapshot: Snapshot;
  open?: number;
}

/** A snapshot as a tree of `details` elements, which needs no script. Needs `snapshotStyles` on the page. */
export function SnapshotView({ snapshot, open = 1 }: SnapshotViewProps): VNode {
  const { entries = [], more = 0 } = snapshot;
  if (entries.length === 0) return <Leaf snapshot={snapshot} />;
  const [before, after] = snapshot.type === 'array' ? ['[', ']'] : ['{', '}'];
  return (
    <details class="pic" open={open > 0}>
      <summary>
        <span class="pic-class">{visibleText(branchHead(snapshot))}</span>
        {before}
        <span class="pic-more">…{after}</span>
      </summary>
      <ul>
        {entries.map((entry) => (
          <li>
            <Key entry={entry} />
            <SnapshotView snapshot={entry.value} open={open - 1} />
          </li>
        ))}
        {more > 0 && <li class="pic-note">… {moreText(snapshot)}</li>}
      </ul>
      {after}
    </details>
  );
}

function Key({ entry: { keySnapshot, kind, key } }: { entry: SnapshotEntry }): ComponentChildren {
  return keySnapshot === undefined ? (
    <>
      <span class={`pic-key pic-${kind}`}>{visibleText(key)}</span>
      {kind === 'key' ? ' => ' : ': '}
    </>
  ) : (
    <>
      <SnapshotView snapshot={keySnapshot} open={0} />
      {' => '}
    </>
  );
}

function Leaf({ snapshot }: { snapshot: Snapshot }): VNode {
  if (snapshot.type !== 'string')
    return <span class={`pic-leaf pic-${snapshot.type}`}>{visibleText(renderLeafText(snapshot))}</span>;
  const note = cutNote(snapshot);
  return (
    <span class="pic-leaf pic-string">
      "{visibleText(snapshot.text ?? '')}"{note !== '' && <span class="pic-note">{note}</span>}
    </span>
  );
}

/** `SnapshotView` styles; they use the colours of `baseStyles`. */
export const snapshotStyles: InlineAsset = createStyleAsset(`
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
