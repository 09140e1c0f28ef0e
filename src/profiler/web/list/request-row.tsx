import type { VNode } from 'preact';
import type { ProfileSummary } from '../../model/profile-summary.js';
import { formatAge, formatMilliseconds, isoTime } from '../../panels/blocks/format.js';
import type { ListFilters } from './list-filters.js';
import type { ProfilerLinks } from '../site/links.js';
import { problemsOf } from './problems.js';
import { splitUrl } from '../site/split-url.js';
import { StatusChip } from '../blocks/status.js';

export interface RequestRowProps {
  readonly row: ProfileSummary;
  /** Milliseconds of the slowest request of the page: the length of a full bar. */
  readonly slowest: number;
  readonly filters: ListFilters;
  readonly links: ProfilerLinks;
  readonly now: number;
}

/** One line of the list. Each cell but the URL and the token is a filter. */
export function RequestRow({ row, slowest, filters, links, now }: RequestRowProps): VNode {
  const filtered = (change: Readonly<Record<string, string>>): string =>
    links.list({ ...filters, before: '', ...change });
  const [path, query] = splitUrl(row.url);
  return (
    <tr>
      <td>
        <a class="status" href={filtered({ status: String(row.status) })}>
          <StatusChip status={row.status} compact={true} />
        </a>
      </td>
      <td>
        <a class="mono" href={filtered({ method: row.method })}>
          {row.method}
        </a>
      </td>
      <td class="url">
        <a href={links.record(row.token)} data-row="">
          {path}
          <span class="query">{query}</span>
        </a>
        {problemsOf(row).map((problem) => (
          <span class={`chip ${problem.tone}`}>{problem.words}</span>
        ))}
      </td>
      <td class="minor route">
        {row.route === null ? (
          <span class="muted">no route</span>
        ) : (
          <a class="mono" href={filtered({ route: row.route })}>
            {row.route}
          </a>
        )}
      </td>
      <td class="end">
        {formatMilliseconds(row.durationMs)}
        <svg class="speed" aria-hidden="true">
          <rect width={`${Math.min(100, (row.durationMs / slowest) * 100).toFixed(1)}%`} height="6" rx="3" />
        </svg>
      </td>
      <td class="minor">
        <a class="mono" href={filtered({ ip: row.clientAddress })}>
          {row.clientAddress}
        </a>
      </td>
      <td class="end">
        <time dateTime={isoTime(row.startedAt)} data-local="title">
          {formatAge(now - row.startedAt)}
        </time>
      </td>
      <td>
        <a class="token" href={links.record(row.token)} aria-label={`Record ${row.token}`}>
          {row.token}
        </a>
      </td>
    </tr>
  );
}
