import type { VNode } from 'preact';
import { type Snapshot, SnapshotView, renderSnapshotLine } from '#core/dump';
import { embed, renderSpans, type SafeHtml, safeUrl, type SpanPart, visibleText } from '#core/html';
import { say } from '#core/phrases';
import type { EditorLinker } from '../present/editor-link.js';
import { highlightLines } from '../present/highlight-code.js';
import { foldRuns, ownersOf, locationOfFrame, renderFrame } from '../present/render-report.js';
import type { Excerpt, ReportedError, ReportedFrame } from '../report/error-report.js';

interface FrameListProps {
  stack: Pick<ReportedError, 'frames' | 'moreFrames'>;
  /** Index of the frame that is initially expanded. */
  open: number | undefined;
  editor: EditorLinker;
  /** The lines declare the code that failed; nothing was thrown there. */
  isDeclaration?: boolean;
}

/** An error's frames: a card for each application call, one line for consecutive other calls. */
export function FrameList({
  stack: { frames, moreFrames },
  open,
  editor,
  isDeclaration = false,
}: FrameListProps): VNode {
  if (frames.length === 0) return <p class="frame-note">No stack was recorded for this one.</p>;
  return (
    <ol class="frames">
      {foldRuns(frames).map((group) =>
        group.length === 1 || group[0] === undefined ? (
          group.map((frame) => (
            <FrameCard
              frame={frame}
              open={open === frame.index}
              editor={editor}
              isDeclaration={isDeclaration}
            />
          ))
        ) : (
          <FoldedRun frames={group} />
        ),
      )}
      {moreFrames !== undefined && (
        <li class="frame-note">{say('… {n} more call|… {n} more calls', { n: moreFrames })}</li>
      )}
    </ol>
  );
}

/** Consecutive calls outside the application: one line, and the calls as text. */
function FoldedRun({ frames }: { frames: readonly ReportedFrame[] }): VNode {
  return (
    <li>
      <details class="fold">
        <summary>
          {say('{n} calls', { n: frames.length })} in {ownersOf(frames)}
        </summary>
        <pre class="run-calls">{frames.map((frame) => `${renderFrame(frame)}\n`)}</pre>
      </details>
    </li>
  );
}

interface FrameCardProps {
  frame: ReportedFrame;
  open: boolean;
  editor: EditorLinker;
  isDeclaration: boolean;
}

function FrameCard({ frame, open, editor, isDeclaration }: FrameCardProps): VNode {
  const { excerpt, note, locals } = frame;
  const location = locationOfFrame(frame);
  const link = frame.path === undefined ? undefined : editor(frame.path, frame.line, frame.column);
  const head = (
    <>
      <FrameName frame={frame} />
      {link === undefined && <span class="frame-place">{location}</span>}
    </>
  );
  const hasMore = excerpt !== undefined || note !== undefined || locals !== undefined;
  return (
    <li class={`card frame ${frame.kind}`}>
      {hasMore ? (
        <details open={open}>
          <summary class="frame-head">{head}</summary>
          {excerpt !== undefined && (
            <CodeExcerpt
              excerpt={excerpt}
              file={frame.file}
              isDeclaration={isDeclaration}
              name={say('Code at {place}', { place: location })}
            />
          )}
          {note !== undefined && <p class="pad muted">{visibleText(note)}</p>}
          {locals !== undefined && <LocalVariables locals={locals} excerpt={excerpt} />}
          {excerpt?.changed === true && (
            <p class="changed">The file was written after the process started; lines may have moved.</p>
          )}
        </details>
      ) : (
        <div class="frame-head">{head}</div>
      )}
      {link !== undefined && (
        <a
          class="frame-place"
          href={safeUrl(link.href, [link.scheme])}
          title="Open in editor"
          aria-label={say('Open {place} in editor', { place: location })}
        >
          {location}
        </a>
      )}
    </li>
  );
}

function FrameName({ frame }: { frame: ReportedFrame }): VNode {
  const unnamed = frame.kind === 'native' ? '(native)' : '(anonymous)';
  return (
    <span class="frame-function">
      <span class="frame-number">{frame.index}. </span>
      {frame.async && <span class="async">{'await '}</span>}
      {frame.function === '' ? unnamed : visibleText(frame.function)}
    </span>
  );
}

const maxLineOfValue = 110;

/** The variables at the time of the throw. Variables used on the frame's line come first, and are marked. */
function LocalVariables({ locals, excerpt }: { locals: Snapshot; excerpt: Excerpt | undefined }): VNode {
  const { entries = [], more = 0 } = locals;
  const line = excerpt?.lines[excerpt.line - excerpt.startLine] ?? '';
  const named = new Set(line.match(/[\w$]+/g));
  const sorted = entries.toSorted((a, b) => Number(named.has(b.key)) - Number(named.has(a.key)));
  return (
    <dl class="vars" aria-label="Local variables">
      {sorted.map(({ key, value }) => (
        <>
          <dt>{visibleText(key)}</dt>
          <dd class={named.has(key) ? 'why' : 'rest'}>
            <LocalValue value={value} />
          </dd>
        </>
      ))}
      {more > 0 && <dt>{say('… {n} more', { n: more })}</dt>}
    </dl>
  );
}

/** A value on one line, which expands to the whole snapshot if it does not fit. */
function LocalValue({ value }: { value: Snapshot }): VNode {
  const line = renderSnapshotLine(value, maxLineOfValue);
  if (!line.endsWith('…')) return <span>{visibleText(line)}</span>;
  return (
    <details>
      <summary>{visibleText(line)}</summary>
      <SnapshotView snapshot={value} open={1} />
    </details>
  );
}

/** Numbered source lines; the frame's line is highlighted and its column underlined. */
interface Code {
  excerpt: Excerpt;
  file: string;
  isDeclaration: boolean;
}

function CodeExcerpt({ name, ...code }: Code & { name: string }): VNode {
  return (
    <pre class="code" tabIndex={0} role="group" aria-label={name}>
      <code>{embed(colour(code))}</code>
    </pre>
  );
}

function colour({ excerpt, file, isDeclaration }: Code): SafeHtml {
  const { startLine, line, column, open } = excerpt;
  const code = { lines: excerpt.lines.map(visibleText), open, file };
  const parts = highlightLines(code, isDeclaration ? -1 : line - startLine, column);
  return renderSpans(parts.map((spans, index) => row(spans, startLine + index, { line, isDeclaration })));
}

/** Only a line that threw is red; a declaration gets only the arrow. */
function row(
  spans: readonly SpanPart[],
  number: number,
  { line, isDeclaration }: { readonly line: number; readonly isDeclaration: boolean },
): SpanPart {
  const isHit = number === line;
  return [
    isHit && !isDeclaration ? 'row hit' : 'row',
    [
      ['no', isHit ? `→ ${number}` : String(number)],
      ['src', [...spans, '\n']],
    ],
  ];
}
