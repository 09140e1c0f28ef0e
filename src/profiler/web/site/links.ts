import type { RecordBucket } from '../../model/profile-record.js';

/** Endings of addresses of a record as data. */
export type DataFormat = 'json' | 'md' | 'har' | 'curl' | 'fetch' | 'test' | 'vitest' | 'cpuprofile';

/** Addresses of the profiler's pages, relative to the server's root. */
export interface ProfilerLinks {
  /** The list, with the given filters; empty values are left out. */
  list(filters?: Readonly<Record<string, string | undefined>>): string;
  /** Counts of all requests. */
  totals(by: 'routes' | 'errors'): string;
  /** One record's page. */
  record(token: string, query?: Readonly<Record<string, string | undefined>>): string;
  /** Two records beside each other; `last-good` for the second: the newest of the same route that went well. */
  compare(first: string, second: string): string;
  /** Where a form with two tokens `t` is sent. */
  compareForm(): string;
  /** The address of the action that sends the record's request again. */
  replay(token: string): string;
  /** The address of the action that deletes all records. */
  purge(bucket: RecordBucket): string;
  /** Where a form pins a record, and where one keeps the filters of a list. */
  mark(token: string): string;
  filters(): string;
  /** The address of the action that shows the plan of one of its queries. */
  explain(token: string): string;
  /** The record as data. */
  data(token: string, format: DataFormat): string;
}

/** Links below `prefix` (`/_profiler`). */
export function createProfilerLinks(prefix: string): ProfilerLinks {
  return {
    list: (filters = {}) => `${prefix}/${queryOf(filters)}`,
    totals: (by) => `${prefix}/${by}`,
    record: (token, query = {}) => `${prefix}/${segment(token)}${queryOf(query)}`,
    compare: (first, second) =>
      `${prefix}/compare/${segment(first)}/${second === 'last-good' ? second : segment(second)}`,
    compareForm: () => `${prefix}/compare`,
    replay: (token) => `${prefix}/${segment(token)}/replay`,
    purge: (bucket) => `${prefix}/${bucket}/purge`,
    mark: (token) => `${prefix}/${segment(token)}/mark`,
    explain: (token) => `${prefix}/${segment(token)}/explain`,
    filters: () => `${prefix}/filters`,
    data: (token, format) => `${prefix}/${segment(token)}.${format}`,
  };
}

function queryOf(values: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== '') query.set(name, value);
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** A token as a path segment. Anything that is none leads to the page that says so, wherever it came from. */
function segment(token: string): string {
  return /^[0-9a-z]{1,32}$/.test(token) ? token : 'malformed';
}

/** Path and query of an absolute or relative URL, without parsing what may not parse. */
export function splitUrl(url: string): readonly [path: string, query: string] {
  const rest = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const mark = rest.indexOf('?');
  return mark === -1 ? [rest === '' ? '/' : rest, ''] : [rest.slice(0, mark), rest.slice(mark)];
}
