/** The filters of the list as they stand in its URL. An empty string filters nothing. */
export interface ListFilters {
  readonly method: string;
  /** `404`, `4xx`, or either with `!` before it. */
  readonly status: string;
  /** Part of the URL; with `!` before it, what the URL must not hold. */
  readonly url: string;
  readonly route: string;
  readonly ip: string;
  /** How far back: `5m`, `1h`, `1d`. */
  readonly within: string;
  /** `1`: only requests in which something was thrown. */
  readonly thrown: string;
  /** `1` shows the profiler's own requests in place of the application's. */
  readonly own: string;
  readonly limit: string;
  /** Cursor: the page holds what is older. */
  readonly before: string;
}

/** Periods that the form offers, in milliseconds. */
export const PERIODS: ReadonlyMap<string, number> = new Map([
  ['5m', 300_000],
  ['1h', 3_600_000],
  ['1d', 86_400_000],
]);
export const LIMITS: readonly number[] = [50, 100, 200, 500];
const LONGEST = 300;

/** Reads the filters; what makes no sense counts as empty. */
export function parseListFilters(query: URLSearchParams): ListFilters {
  const text = (name: string): string => (query.get(name) ?? '').trim().slice(0, LONGEST);
  const matching = (name: string, pattern: RegExp): string => (pattern.test(text(name)) ? text(name) : '');
  return {
    method: matching('method', /^!?[A-Za-z-]{1,20}$/).toUpperCase(),
    status: matching('status', /^!?[0-9](?:\d\d|xx)$/),
    url: text('url'),
    route: text('route'),
    ip: text('ip'),
    within: PERIODS.has(text('within')) ? text('within') : '',
    thrown: text('thrown') === '1' ? '1' : '',
    own: text('own') === '1' ? '1' : '',
    limit: LIMITS.includes(Number(text('limit'))) ? text('limit') : '',
    before: matching('before', /^[\w.:~=-]{1,200}$/),
  };
}
