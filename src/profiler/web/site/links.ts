import type { RecordBucket } from '../../model/profile-record.js';

/** Formats of a record as data; the extension of its URL. */
export type DataFormat = 'json' | 'md' | 'har' | 'curl' | 'cpuprofile';

/** URLs of the profiler's pages, relative to the server's root. */
export interface ProfilerLinks {
  /** The list with the given filters; empty values are omitted. */
  list(filters?: Readonly<Record<string, string | undefined>>): string;
  /** The totals by route or by error. */
  totals(by: 'routes' | 'errors'): string;
  /** The page of a record. */
  record(token: string, query?: Readonly<Record<string, string | undefined>>): string;
  /** The comparison of two records; `last-good` as second token selects the newest successful record of the same route. */
  compare(first: string, second: string): string;
  /** Target of a form with two tokens `t`. */
  compareForm(): string;
  /** Action that sends the record's request again. */
  replay(token: string): string;
  /** Action that deletes all records of a bucket. */
  purge(bucket: RecordBucket): string;
  /** Action that pins a record. */
  mark(token: string): string;
  /** Action that shows the plan of one of the record's queries. */
  explain(token: string): string;
  /** The record as data. */
  data(token: string, format: DataFormat): string;
}

/** Creates links below `prefix` (`/_profiler`). */
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
    data: (token, format) => `${prefix}/${segment(token)}.${format}`,
  };
}

function queryOf(values: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== '') query.set(name, value);
  // A colon and a slash need no escape there, and stand in most searches.
  const text = query.toString().replaceAll('%3A', ':').replaceAll('%2F', '/');
  return text === '' ? '' : `?${text}`;
}

/** Returns a token as a path segment. Anything else becomes `malformed`, whose page explains the problem. */
function segment(token: string): string {
  return /^[0-9a-z]{1,32}$/.test(token) ? token : 'malformed';
}

/** Splits an absolute or relative URL into path and query; also works for invalid URLs. */
export function splitUrl(url: string): readonly [path: string, query: string] {
  const rest = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const mark = rest.indexOf('?');
  return mark === -1 ? [rest === '' ? '/' : rest, ''] : [rest.slice(0, mark), rest.slice(mark)];
}
