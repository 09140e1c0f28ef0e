import type { VNode } from 'preact';
import { visibleText } from '#html';
import type { PageLogEntry } from '../report/error-page-context.js';
import { pageText } from './error-page-text.js';
import { ForeignText, OmittedNote, PageSection } from './page-parts.js';

const maxEntries = 300;
const errorLevels = new Set(['error', 'critical', 'alert', 'emergency', 'fatal']);
const warningLevels = new Set(['warning', 'warn']);

/** Log entries of the request, oldest first; `more` is the number of entries the caller has already omitted. */
export function LogSection(props: { logs: readonly PageLogEntry[]; more: number | undefined }): VNode {
  const { logs, more = 0 } = props;
  return (
    <PageSection id="log" title={pageText('Log')} count={logs.length + more}>
      {logs.length === 0 ? (
        <p class="card pad empty">{pageText('Nothing was logged during this request.')}</p>
      ) : (
        <ol class="card logs">
          {logs.slice(0, maxEntries).map((entry) => (
            <Entry entry={entry} />
          ))}
        </ol>
      )}
      <OmittedNote n={more + Math.max(0, logs.length - maxEntries)} phrase="… {n} more entries, left out" />
    </PageSection>
  );
}

function Entry({ entry }: { entry: PageLogEntry }): VNode {
  const level = entry.level.toLowerCase();
  const tone = errorLevels.has(level) ? 'err' : warningLevels.has(level) ? 'warn' : '';
  const { context = '' } = entry;
  return (
    <li class={`log ${tone}`}>
      <span class="log-time">
        {typeof entry.time === 'number' ? `${entry.time.toFixed(1)} ms` : visibleText(entry.time)}
      </span>
      <span class={`chip ${tone}`}>{visibleText(entry.level)}</span>
      <div class="log-text">
        <span class="log-channel">{visibleText(entry.channel)}</span> {visibleText(entry.message)}
        {context !== '' && (
          <details>
            <summary>{pageText('data')}</summary>
            <ForeignText name={pageText('Data of the log entry')}>{visibleText(context)}</ForeignText>
          </details>
        )}
      </div>
    </li>
  );
}
