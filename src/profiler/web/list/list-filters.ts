/** The filters of the list as they stand in its URL. An empty string filters nothing. */
export interface ListFilters {
  readonly method: string;
  /** `404`, `4xx`, or either with `!` before it. */
  readonly status: string;
  /** Part of the URL; with `!` before it, what the URL must not hold. */
  readonly url: string;
  /** Name of the route; a `*` at its end stands for any rest. */
  readonly route: string;
  readonly ip: string;
  /** How far back: `90s`, `5m`, `2h`, `1d`. */
  readonly within: string;
  /** `1`: only requests in which something was thrown. */
  readonly thrown: string;
  /** `1` shows the profiler's own requests in place of the application's. */
  readonly own: string;
  readonly limit: string;
  /** Cursor: the page holds what is older. */
  readonly before: string;
}

/** A filter that cannot be applied: the name of its parameter, and what it takes. */
export interface FilterProblem {
  readonly name: string;
  readonly words: string;
}

/** What a query of the list asks for, and what in it makes no sense. */
export interface ParsedFilters {
  readonly filters: ListFilters;
  readonly problems: readonly FilterProblem[];
}

/** Rows of a page that the form offers; any number up to the last is taken. */
export const LIMITS: readonly number[] = [50, 100, 200, 500];
const MOST_ROWS = 500;
const LONGEST = 300;
const MOST_PROBLEMS = 20;
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Each filter: the form that it takes, and that form in words. */
const RULES: Readonly<Record<keyof ListFilters, readonly [pattern: RegExp, takes: string]>> = {
  method: [/^!?[\w.~+^|#$%&'*`-]{1,40}$/, 'a method such as POST, or !POST'],
  status: [/^!?(?:0|[0-9](?:\d\d|xx))$/, 'a code (404), a class (4xx), or either with ! in front'],
  url: [/^/, ''],
  route: [/^[^*]*\*?$/, 'the name of a route; * only at the end'],
  ip: [/^/, ''],
  within: [/^[1-9]\d{0,3}[smhd]$/, 'a period such as 5m, 2h or 1d'],
  thrown: [/^1$/, '1'],
  own: [/^1$/, '1'],
  limit: [/^[1-9]\d{0,2}$/, `a number from 1 to ${MOST_ROWS}`],
  before: [/^[\w.:~=-]{1,200}$/, 'the cursor of a link to older requests'],
};

/** Milliseconds of a period such as `5m`; undefined for text that is none. */
export function periodOf(within: string): number | undefined {
  const unit = UNITS[within.slice(-1)];
  return unit === undefined || !RULES.within[0].test(within) ? undefined : Number(within.slice(0, -1)) * unit;
}

/**
 * Reads the filters. Nothing is dropped: text that a filter cannot take, a parameter that no filter has and one that is
 * given twice are problems, and the text stays in its filter so that it can be corrected.
 */
export function parseListFilters(query: URLSearchParams): ParsedFilters {
  const problems: FilterProblem[] = [];
  const read = (name: keyof ListFilters): string => {
    const given = (query.get(name) ?? '').trim();
    const [pattern, takes] = RULES[name];
    if (given.length > LONGEST) problems.push({ name, words: `Longer than ${LONGEST} characters.` });
    else if (given !== '' && !(pattern.test(given) && isInRange(name, given)))
      problems.push({ name, words: `“${given}” is not applicable. Use ${takes}.` });
    return given.slice(0, LONGEST);
  };
  const filters: ListFilters = {
    method: read('method').toUpperCase(),
    status: read('status'),
    url: read('url'),
    route: read('route'),
    ip: read('ip'),
    within: read('within'),
    thrown: read('thrown'),
    own: read('own'),
    limit: read('limit'),
    before: read('before'),
  };
  return { filters, problems: [...problems, ...strayParameters(query)].slice(0, MOST_PROBLEMS) };
}

function strayParameters(query: URLSearchParams): readonly FilterProblem[] {
  const names = [...query.keys()];
  return [...new Set(names)].flatMap((name) => {
    if (name !== 'q' && !Object.hasOwn(RULES, name))
      return [{ name, words: `There is no filter “${name.slice(0, 100)}”.` }];
    const isRepeated = names.indexOf(name) !== names.lastIndexOf(name);
    return isRepeated ? [{ name, words: 'Given more than once.' }] : [];
  });
}

function isInRange(name: keyof ListFilters, text: string): boolean {
  return name !== 'limit' || Number(text) <= MOST_ROWS;
}
