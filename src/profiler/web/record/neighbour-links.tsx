import type { VNode } from 'preact';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import { formatMilliseconds } from '../../words/format.js';
import { say } from '../../words/say.js';
import type { Neighbours } from '../lookup/find-neighbours.js';
import type { ProfilerLinks } from '../site/links.js';
import { formatTerm } from '../../query/parse-query.js';

interface NeighbourLinksProps {
  readonly record: ProfileRecord;
  readonly links: ProfilerLinks;
  readonly neighbours: Neighbours;
  readonly panel: string;
}

/** Links to the records just before and after this one, to its parent and to its sub-requests. */
export function NeighbourLinks({ record, links, neighbours, panel }: NeighbourLinksProps): VNode | null {
  const { older, newer } = neighbours;
  const children = record.children ?? [];
  if (older === undefined && newer === undefined && record.parent === undefined && children.length === 0)
    return null;
  const link = ({ token }: ProfileSummary): string => links.record(token, { panel });
  return (
    <nav class="neighbours" aria-label={say('Records beside this one')}>
      {record.parent !== undefined && (
        <a href={links.record(record.parent)} rel="up" title={record.parent}>
          {say('Parent')}
        </a>
      )}
      {children.slice(0, 20).map((child, index) => (
        <a href={links.record(child)} title={child}>
          {say('Sub-request {n}', { n: index + 1 })}
        </a>
      ))}
      {older !== undefined && (
        <a href={link(older)} rel="prev" data-key="[" title={`${say('Older')}: ${titleOf(older)}`}>
          <span aria-hidden="true">‹</span>
          <span class="visually-hidden">{say('Older')}: </span>
          <span class="name">{titleOf(older)}</span>
        </a>
      )}
      {newer !== undefined && (
        <a href={link(newer)} rel="next" data-key="]" title={`${say('Newer')}: ${titleOf(newer)}`}>
          <span class="visually-hidden">{say('Newer')}: </span>
          <span class="name">{titleOf(newer)}</span>
          <span aria-hidden="true">›</span>
        </a>
      )}
    </nav>
  );
}

function titleOf({ method, path, durationMs }: ProfileSummary): string {
  return `${method} ${path}, ${formatMilliseconds(durationMs)}`;
}

/** The visitor's requests before and after this one; a redirect and its target are shown as one. */
export function VisitorStrip({
  record,
  links,
  neighbours: { thread },
}: Omit<NeighbourLinksProps, 'panel'>): VNode | null {
  const visitor = thread[0]?.row.visitor;
  if (typeof visitor !== 'string') return null;
  return (
    <nav class="visitor" aria-label={say('Same visitor')}>
      <span>{say('Same visitor')}:</span>
      {groupRedirects(thread).map((steps) => (
        <span>
          {steps.map(({ token, method, path, status }, index) => (
            <>
              {index > 0 && (
                <>
                  <span aria-hidden="true"> → </span>
                  <span class="visually-hidden"> {say('redirected to')} </span>
                </>
              )}
              <a href={links.record(token)} aria-current={token === record.token ? 'page' : undefined}>
                {method} {path.slice(0, 60)} {status}
              </a>
            </>
          ))}
        </span>
      ))}
      <a href={links.list({ q: formatTerm('visitor', visitor) })}>{say('All requests of this visitor')}</a>
    </nav>
  );
}

function groupRedirects(
  thread: Neighbours['thread'],
): readonly (readonly Neighbours['thread'][number]['row'][])[] {
  const groups: Neighbours['thread'][number]['row'][][] = [];
  for (const [index, { row }] of thread.entries()) {
    if (thread[index - 1]?.isFollowed === true) groups.at(-1)?.push(row);
    else groups.push([row]);
  }
  return groups;
}
