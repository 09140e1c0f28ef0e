import type { VNode } from 'preact';
import { visibleText } from '#html';
import type { ErrorReport, ReportedError } from '../report/error-report.js';
import { placeOf } from './frame-list.js';
import { pageText } from './error-page-text.js';

/** Every stack in full as numbered text, to read at a glance and to copy. */
export function StackSection({ report }: { report: ErrorReport }): VNode {
  return (
    <section id="stack" aria-labelledby="stack-title">
      <h2 id="stack-title">{pageText('Stack trace')}</h2>
      <div class="card trace" id="stack-text">
        {report.errors.map((error) => (
          <Calls error={error} />
        ))}
      </div>
    </section>
  );
}

function Calls({ error }: { error: ReportedError }): VNode {
  const { frames, moreFrames, shared } = error;
  const message = visibleText(error.message.split('\n', 1).join('').slice(0, 300));
  return (
    <>
      <h3>{`[${error.label}] ${visibleText(error.class)}: ${message}\n`}</h3>
      <ol>
        {frames.map((frame, at) => (
          <>
            {shared?.at === at && <Shared stack={error} />}
            <li class={frame.kind === 'app' ? undefined : 'lib'}>
              <span class="trace-no">{frame.index}. </span>
              <span>
                {frame.async && 'await '}
                {frame.function !== '' && `${visibleText(frame.function)} `}({placeOf(frame)}){'\n'}
              </span>
            </li>
          </>
        ))}
        {shared?.at === frames.length && <Shared stack={error} />}
      </ol>
      {frames.length === 0 && <p class="empty">{pageText('No stack was recorded.')}</p>}
      {moreFrames !== undefined && (
        <p class="empty">{pageText('… {n} more calls, left out', { n: moreFrames })}</p>
      )}
    </>
  );
}

function Shared({ stack: { shared } }: { stack: ReportedError }): VNode {
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
