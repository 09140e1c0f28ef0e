import type { VNode } from 'preact';
import type { ProfileRecord } from '../../model/profile-record.js';
import { formatTerm } from '../../query/parse-query.js';
import { say } from '../../words/say.js';
import type { Neighbours } from '../lookup/find-neighbours.js';
import type { ProfilerLinks } from '../site/links.js';

interface VisitorStripProps {
  readonly record: ProfileRecord;
  readonly links: ProfilerLinks;
  readonly neighbours: Neighbours;
}

/** What the same visitor asked for before and after; a redirect and where it led stand as one. */
export function VisitorStrip({ record, links, neighbours: { thread } }: VisitorStripProps): VNode | null {
  const visitor = thread[0]?.row.visitor;
  if (typeof visitor !== 'string') return null;
  return (
    <nav class="visitor" aria-label={say('Same visitor')}>
      <span>{say('Same visitor')}:</span>
      {joined(thread).map((steps) => (
        <span>
          {steps.map(({ token, method, path, status }, place) => (
            <>
              {place > 0 && (
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

function joined(thread: Neighbours['thread']): readonly (readonly Neighbours['thread'][number]['row'][])[] {
  const groups: Neighbours['thread'][number]['row'][][] = [];
  for (const [place, { row }] of thread.entries()) {
    if (thread[place - 1]?.isFollowed === true) groups.at(-1)?.push(row);
    else groups.push([row]);
  }
  return groups;
}
