import type { ComponentChildren, VNode } from 'preact';
import { embed, renderSpans, type SafeHtml, safeUrl, type SpanPart, visibleText } from '#html';
import type { EditorLinker } from '../present/editor-link.js';
import type {
  ErrorReport,
  Excerpt,
  ReportedError,
  ReportedFrame,
  ReportedStack,
} from '../report/error-report.js';
import { ErrorPageIcon, PageSection } from './page-parts.js';
import { knownText, pageText } from './error-page-text.js';
import { highlightLines } from '../present/highlight-code.js';

interface FrameListProps {
  stack: ReportedStack;
  /** Index of the frame that is initially expanded. */
  open: number | undefined;
  editor: EditorLinker;
}

/** The frames of an error: frames with code can be expanded, consecutive library frames are folded into one row. */
export function FrameList({ stack: { frames, moreFrames, shared }, open, editor }: FrameListProps): VNode {
  if (frames.length === 0) return <p class="frame-note">{pageText('No stack was recorded for this one.')}</p>;
  const at = shared?.at ?? frames.length;
  const rows = (some: readonly ReportedFrame[]): ComponentChildren =>
    foldRuns(some).map((group) =>
      group.length === 1 || group[0] === undefined ? (
        group.map((frame) => <FrameRow frame={frame} open={open === frame.index} editor={editor} />)
      ) : (
        <FoldedRun frames={group} editor={editor} />
      ),
    );
  return (
    <ol class="frames">
      {rows(frames.slice(0, at))}
      {shared !== undefined && (
        <li class="frame-note">
          <a href={`#error-${shared.label}`}>
            {pageText('… {n} calls as in error {label}', { n: shared.calls, label: shared.label })}
          </a>
        </li>
      )}
      {rows(frames.slice(at))}
      {moreFrames !== undefined && (
        <li class="frame-note">{pageText('… {n} more calls, left out', { n: moreFrames })}</li>
      )}
    </ol>
  );
}

/** Groups consecutive frames that are not the application's and show no code; any other frame is a group of its own. */
function foldRuns(frames: readonly ReportedFrame[]): ReportedFrame[][] {
  const groups: ReportedFrame[][] = [];
  for (const frame of frames) {
    const last = groups.at(-1);
    if (last !== undefined && isFoldable(frame) && last.every(isFoldable)) last.push(frame);
    else groups.push([frame]);
  }
  return groups;
}

function isFoldable(frame: ReportedFrame): boolean {
  return frame.kind !== 'app' && frame.excerpt === undefined;
}

function FoldedRun({ frames, editor }: { frames: readonly ReportedFrame[]; editor: EditorLinker }): VNode {
  const owners = [
    ...new Set(frames.map((frame) => frame.library ?? (frame.kind === 'node' ? 'Node.js' : frame.kind))),
  ];
  return (
    <li class="run frame">
      <details>
        <summary class="frame-head">
          <span class="dashes" aria-hidden="true" />
          <span>
            <span class="run-count">{pageText('{n} calls', { n: frames.length })}</span>{' '}
            {pageText(owners.length > 4 ? 'in {owners} and others' : 'in {owners}', {
              owners: visibleText(owners.slice(0, 4).join(', ')),
            })}
          </span>
        </summary>
        <ol class="frames">
          {frames.map((frame) => (
            <FrameRow frame={frame} open={false} editor={editor} />
          ))}
        </ol>
      </details>
    </li>
  );
}

function FrameRow({
  frame,
  open,
  editor,
}: {
  frame: ReportedFrame;
  open: boolean;
  editor: EditorLinker;
}): VNode {
  const { excerpt, note } = frame;
  if (excerpt === undefined && note === undefined)
    return (
      <li class={`frame ${frame.kind}`}>
        <div class="frame-head">
          <FrameName frame={frame} />
        </div>
      </li>
    );
  const place = placeOf(frame);
  return (
    <li class={`frame ${frame.kind}`}>
      <details open={open}>
        <summary class="frame-head">
          <FrameName frame={frame} />
        </summary>
        {excerpt === undefined ? (
          <p class="frame-note">{visibleText(knownText(note ?? ''))}</p>
        ) : (
          <CodeExcerpt excerpt={excerpt} name={pageText('Code at {place}', { place })} />
        )}
        <p class="frame-foot">
          {excerpt?.changed === true && (
            <span class="changed">
              {pageText('The file was written after the process started; lines may have moved.')}
            </span>
          )}
          <EditLink frame={frame} editor={editor} />
        </p>
      </details>
    </li>
  );
}

function FrameName({ frame }: { frame: ReportedFrame }): ComponentChildren {
  const name =
    frame.function === ''
      ? frame.kind === 'native'
        ? pageText('(native)')
        : pageText('(anonymous)')
      : visibleText(frame.function);
  return (
    <>
      <span class="frame-index">{frame.index}</span>
      <span class="frame-function">
        {frame.async && <span class="async">{'await '}</span>}
        {name}
      </span>
      <span class="frame-place">{placeOf(frame)}</span>
    </>
  );
}

function EditLink({ frame, editor }: { frame: ReportedFrame; editor: EditorLinker }): ComponentChildren {
  const link = frame.path === undefined ? undefined : editor(frame.path, frame.line, frame.column);
  if (link === undefined) return null;
  return (
    <a class="edit" href={safeUrl(link.href, [link.scheme])}>
      <ErrorPageIcon name="edit" /> {pageText('Open in editor')}
      <span class="visually-hidden">: {placeOf(frame)}</span>
    </a>
  );
}

/** Returns `file:line:column`; unknown parts are omitted. */
export function placeOf(frame: ReportedFrame): string {
  if (frame.file === '') return frame.kind === 'eval' ? 'eval' : 'native code';
  const line = frame.line > 0 ? `:${frame.line}` : '';
  return visibleText(frame.file) + line + (frame.column > 0 ? `:${frame.column}` : '');
}

/** Numbered source lines; the frame's line is highlighted and its column underlined. */
function CodeExcerpt({ excerpt, name }: { excerpt: Excerpt; name: string }): VNode {
  return (
    <pre class="code" tabIndex={0} role="group" aria-label={name}>
      <code>{embed(colour(excerpt))}</code>
    </pre>
  );
}

function colour(excerpt: Excerpt): SafeHtml {
  const { startLine, line, column } = excerpt;
  const parts = highlightLines(excerpt.lines.map(visibleText), line - startLine, column);
  return renderSpans(parts.map((spans, index) => row(spans, startLine + index, line)));
}

function row(spans: readonly SpanPart[], number: number, hit: number): SpanPart {
  const isHit = number === hit;
  return [
    isHit ? 'row hit' : 'row',
    [
      ['no', isHit ? `→ ${number}` : String(number)],
      ['src', [...spans, '\n']],
    ],
  ];
}

/** All stacks as numbered text, for reading at a glance and for copying. */
export function StackSection({ report }: { report: ErrorReport }): VNode {
  return (
    <PageSection id="stack" title={pageText('Stack trace')}>
      <div class="card trace" id="stack-text">
        {report.errors.map((error) => (
          <StackCalls error={error} />
        ))}
      </div>
    </PageSection>
  );
}

function StackCalls({ error }: { error: ReportedError }): VNode {
  const { frames, moreFrames, shared } = error;
  const message = visibleText(error.message.split('\n', 1).join('').slice(0, 300));
  return (
    <>
      <h3>{`[${error.label}] ${visibleText(error.class)}: ${message}\n`}</h3>
      <ol>
        {frames.map((frame, at) => (
          <>
            {shared?.at === at && <SharedCalls stack={error} />}
            <li class={frame.kind === 'app' ? undefined : 'lib'}>
              <span class="trace-no">{frame.index}. </span>
              <span>
                {frame.async && 'await '}
                {frame.function !== '' && `${visibleText(frame.function)} `}({placeOf(frame)}){'\n'}
              </span>
            </li>
          </>
        ))}
        {shared?.at === frames.length && <SharedCalls stack={error} />}
      </ol>
      {frames.length === 0 && <p class="empty">{pageText('No stack was recorded.')}</p>}
      {moreFrames !== undefined && (
        <p class="empty">{pageText('… {n} more calls, left out', { n: moreFrames })}</p>
      )}
    </>
  );
}

function SharedCalls({ stack: { shared } }: { stack: ReportedError }): VNode {
  return (
    <li class="lib">
      <span class="trace-no">… </span>
      <span>
        {pageText('{n} calls as in [{label}]', { n: shared?.calls ?? 0, label: shared?.label ?? '' })}
        {'\n'}
      </span>
    </li>
  );
}
