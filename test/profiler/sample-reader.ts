import type { ProfileRecord, Profiler } from '#profiler';
import { matches } from './matches.js';
import { summaryOf } from './sample-records.js';

/**
 * Reads from a list of records, newest first, like a profiler. `pruned`, `ordered` (deleted by a person) and `missing` are tokens with
 * these outcomes.
 */
export function createSampleReader(
  records: readonly ProfileRecord[],
  gone: { readonly pruned?: string; readonly ordered?: string; readonly missing?: string } = {},
): Pick<Profiler, 'find' | 'list' | 'totals' | 'news' | 'collected' | 'counters' | 'state'> {
  return {
    find: async (token) => {
      const record = token === 'latest' ? records[0] : records.find((other) => other.token === token);
      if (record !== undefined) return { kind: 'found', record };
      if (token === gone.pruned) return { kind: 'pruned', by: 'age' };
      if (token === gone.ordered) return { kind: 'pruned', by: 'purge' };
      return { kind: token === gone.missing ? 'missing' : 'never' };
    },
    list: async (query = {}) => {
      const rows = records
        .map(summaryOf)
        .filter((row) => row.origin === (query.origin ?? 'app'))
        .filter((row) => matches(row, query.where));
      if (query.sort?.column === 'startedAt' && query.sort.isAscending) rows.reverse();
      const from = query.before === undefined ? 0 : Number(query.before);
      const end = from + (query.limit ?? 50);
      return { rows: rows.slice(from, end), next: end < rows.length ? String(end) : null, complete: true };
    },
    totals: async () => ({ groups: [], complete: true }),
    news: async () => ({ rows: [], position: '1', isGap: false }),
    collected: [],
    counters: () => ({
      made: 1_043,
      stored: 1_000,
      pruned: 41,
      dropped: { 'queue-full': 0, unrecordable: 0, refused: 0, 'writer-ended': 0, 'not-written-at-close': 0 },
      pending: 2,
      open: 1,
      sampledOut: 0,
      recordingMs: 12.5,
      failures: 0,
    }),
    state: () => ({
      status: 'ready',
      store: 'sqlite:/srv/app/var/profiler.db',
      message: '',
      code: null,
      since: Date.UTC(2026, 10, 21),
      records: 1_000,
      bytes: 12_400_000,
    }),
  };
}
