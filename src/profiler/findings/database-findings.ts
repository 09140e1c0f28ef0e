import { findSection } from '../collectors/find-section.js';
import type { DbGroup, DbSection } from '../collectors/db-section.js';
import { queryAnchor } from '../collectors/db-part.js';
import type { ProfileRecord } from '../model/profile-record.js';
import { formatMilliseconds, plural, shortPath } from '../words/format.js';
import type { RecordFinding } from './finding.js';

/** Groups that are told of one by one. */
const maxGroupsShown = 3;

/** Queries that failed or repeat themselves. */
export function findInDatabase(record: ProfileRecord): readonly RecordFinding[] {
  const section = findSection<DbSection>(record, 'db', ['queries', 'groups', 'totals']);
  if (section === undefined) return [];
  const { groups } = section;
  const rest = groups.length - maxGroupsShown;
  return [
    ...failed(section),
    ...groups.slice(0, maxGroupsShown).map(repeated),
    ...(rest > 0
      ? [
          {
            level: 'warn',
            text: `${plural(rest, 'further group')} of queries that repeat themselves`,
            target: { panel: 'db' },
          } as const,
        ]
      : []),
  ];
}

function failed({ queries, totals }: DbSection): readonly RecordFinding[] {
  if (totals.failed === 0) return [];
  const place = queries.findIndex(({ error }) => error !== null);
  const anchor = place === -1 ? {} : { anchor: queryAnchor(place) };
  const text = `${plural(totals.failed, 'query', 'queries')} failed`;
  return [{ level: 'error', text, target: { panel: 'db', ...anchor } }];
}

function repeated({ kind, count, durationMs, callSite, queries }: DbGroup): RecordFinding {
  const where = callSite === null ? '' : ` from ${shortPath(callSite.file)}:${callSite.line}`;
  const time = `, ${formatMilliseconds(durationMs)}`;
  const text =
    kind === 'n+1'
      ? `${plural(count, 'query', 'queries')} of the same shape${where}${time}`
      : `The same query with the same values ${count} times${where}${time}`;
  const [first] = queries;
  const anchor = first === undefined ? {} : { anchor: queryAnchor(first) };
  return { level: 'warn', text, target: { panel: 'db', ...anchor } };
}
