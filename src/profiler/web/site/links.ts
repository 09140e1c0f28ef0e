/** Addresses of the profiler's pages, relative to the server's root. */
export interface ProfilerLinks {
  /** The list, with the given filters; empty values are left out. */
  list(filters?: Readonly<Record<string, string | undefined>>): string;
  /** One record's page. */
  record(token: string, query?: Readonly<Record<string, string | undefined>>): string;
  /** The record as data. */
  data(token: string, format: 'json' | 'md'): string;
}

/** Links below `prefix` (`/_profiler`). */
export function createProfilerLinks(prefix: string): ProfilerLinks {
  return {
    list: (filters = {}) => `${prefix}/${queryOf(filters)}`,
    record: (token, query = {}) => `${prefix}/${segment(token)}${queryOf(query)}`,
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
