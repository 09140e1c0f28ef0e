import type { VNode } from 'preact';
import type { CollectedField } from '../../model/section-part.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import { formatAge, formatMilliseconds, isoTime } from '../../words/format.js';
import { say, sayKnown } from '../../words/say.js';
import { formatTerm } from '../../query/parse-query.js';
import type { ListFilters } from './list-filters.js';
import { type ProfilerLinks, splitUrl } from '../site/links.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { BreakdownBar, barLength } from '../blocks/breakdown-bar.js';
import { StatusChip } from '../blocks/status.js';
import { slowMs } from '../../query/query-fields.js';

/** Props shared by all rows of a page. */
export interface SharedRowProps {
  /** Duration of the slowest request of the page in milliseconds; its bar has full length. */
  readonly slowest: number;
  readonly filters: ListFilters;
  readonly links: ProfilerLinks;
  readonly now: number;
  readonly collected: readonly CollectedField[];
  /** Whether the profiler counts database queries. */
  readonly hasQueries: boolean;
}

export function sharedRowProps(
  { links, now, reader: { collected } }: Pick<ProfilerSite, 'links' | 'now' | 'reader'>,
  filters: ListFilters,
  rows: readonly ProfileSummary[],
): SharedRowProps {
  const slowest = Math.max(1, ...rows.map(({ durationMs }) => durationMs));
  const hasQueries = collected.some(({ column }) => column === 'db.queries');
  return { slowest, filters, links, now: now(), collected, hasQueries };
}

/** One row of the list. Status, route and user are links that filter by their value. */
export function RequestRow(props: SharedRowProps & { readonly row: ProfileSummary }): VNode {
  const { row, slowest, filters, links, now, hasQueries } = props;
  const filtered = (change: Readonly<Record<string, string>>): string =>
    relative(links.list({ ...filters, page: '', ...change }));
  const [path, query] = splitUrl(row.url);
  const queries = row.collected['db.queries'] ?? 0;
  return (
    <tr>
      <td>
        <a href={filtered({ status: String(row.status) })}>
          <StatusChip status={row.status} compact={true} />
        </a>
      </td>
      <td class="url">
        <span class="method">{row.method}</span>{' '}
        <a href={relative(links.record(row.token))} data-row="">
          {path}
          {query !== '' && <span class="query">{query}</span>}
        </a>
      </td>
      <td class="why">
        {problemsOf(row, props.collected).map((problem) => (
          <span class={`chip ${problem.tone}`}>{problem.words}</span>
        ))}
      </td>
      <td class="minor route">
        {/* The profiler's own requests all have the same route. */}
        {row.route === null || filters.own !== '' ? (
          row.route
        ) : (
          <a href={filtered({ route: row.route })}>{row.route}</a>
        )}
      </td>
      <td class="minor">
        {row.user !== null && <a href={filtered({ user: formValue(row.user) })}>{row.user}</a>}
      </td>
      {hasQueries && (
        <td class="end" data-unit={queries === 0 ? '' : say('{n} query|{n} queries', { n: queries })}>
          {queries}
        </td>
      )}
      <td class="end">
        {formatMilliseconds(row.durationMs)}
        <BreakdownBar breakdown={row.breakdown} length={barLength(row.durationMs, slowest)} />
      </td>
      <td class="end">
        <time dateTime={isoTime(row.startedAt).replace(/\.\d+/, '')} data-age="">
          {formatAge(now - row.startedAt)}
        </time>
      </td>
      <TokenCell token={row.token} links={links} />
    </tr>
  );
}

function TokenCell({ token, links }: { token: string; links: ProfilerLinks }): VNode {
  return (
    <td>
      <input
        type="checkbox"
        name="t"
        value={token}
        form="compare"
        aria-label={say('Compare {token}', { token })}
      />
      <a class="token" href={relative(links.record(token))}>
        {token}
      </a>
    </td>
  );
}

/** Makes a link relative to the list, which makes a page of many rows a tenth smaller. */
function relative(link: string): string {
  return link.slice(link.lastIndexOf('/') + 1);
}

/** Returns a value quoted for a filter field, so that it is matched literally. */
function formValue(text: string): string {
  return formatTerm('', text).slice(1);
}

/** A chip of the list that reports a problem or a mark. */
interface Problem {
  readonly tone: 'warn' | 'err' | 'mark';
  readonly words: string;
}

const maxMessageLength = 80;

/** Returns the problems of a request, most severe first. */
export function problemsOf(
  row: ProfileSummary,
  collected: readonly CollectedField[] = [],
): readonly Problem[] {
  const problems: Problem[] = [];
  // With a success status, the exception was thrown after the response.
  if (row.exception !== null && (row.status >= 500 || row.status < 300))
    problems.push({ tone: 'err', words: clip(row.exception) });
  if (row.state === 'unfinished') problems.push({ tone: 'warn', words: say('unfinished') });
  if (row.state === 'aborted') problems.push({ tone: 'warn', words: say('aborted') });
  // The exception itself is logged too, and already has a chip.
  const warnings = row.warnings - (row.exception === null ? 0 : 1);
  if (warnings > 0)
    problems.push({ tone: 'warn', words: say('{n} log warning|{n} log warnings', { n: warnings }) });
  for (const { column, finding } of collected) {
    const count = row.collected[column] ?? 0;
    if (finding !== undefined && count > 0)
      problems.push({ tone: 'warn', words: `${sayKnown(finding)} ×${count}` });
  }
  if (row.durationMs >= slowMs)
    problems.push({ tone: 'warn', words: say('slow: {time}', { time: formatMilliseconds(row.durationMs) }) });
  if (row.mark !== undefined) {
    const words = row.mark.tags.length === 0 ? [say('pinned')] : row.mark.tags.map((tag) => `#${tag}`);
    problems.push({ tone: 'mark', words: words.join(' ') });
  }
  return problems;
}

function clip(text: string): string {
  if (text.trim() === '') return say('thrown without a message');
  return text.length <= maxMessageLength ? text : `${text.slice(0, maxMessageLength)}…`;
}
