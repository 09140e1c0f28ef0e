import { formatTerm } from '../../search/parse-query.js';
import type { RecordOrigin } from '../../model/profile-record.js';

export type DataFormat = 'json' | 'md' | 'har' | 'curl' | 'cpuprofile';

type Query = Readonly<Record<string, string | undefined>>;

/** The profiler pages' URLs under `prefix` (`/_profiler`). Empty query values are omitted. */
export class ProfilerLinks {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  list(filters: Query = {}): string {
    return `${this.#prefix}/${queryOf(filters)}`;
  }

  /** Requests with one kind of error. */
  errors(fingerprint: string): string {
    return this.list({ q: formatTerm('fingerprint', fingerprint) });
  }

  totals(by: 'routes' | 'errors'): string {
    return `${this.#prefix}/${by}`;
  }

  record(token: string, query: Query = {}): string {
    return `${this.#prefix}/${segment(token)}${queryOf(query)}`;
  }

  /** `last-good` as second token selects the newest successful record on the same route. */
  compare(first: string, second: string): string {
    const other = second === 'last-good' ? second : segment(second);
    return `${this.compareForm()}/${segment(first)}/${other}`;
  }

  /** Target for a form with two tokens `t`. */
  compareForm(): string {
    return `${this.#prefix}/compare`;
  }

  purge(origin: RecordOrigin): string {
    return `${this.#prefix}/${origin}/purge`;
  }

  /** Target for a form that sends the request again, pins the record, or shows a query plan. */
  action(token: string, action: 'replay' | 'mark' | 'explain'): string {
    return `${this.record(token)}/${action}`;
  }

  data(token: string, format: DataFormat): string {
    return `${this.record(token)}.${format}`;
  }
}

function queryOf(values: Query): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== '') query.set(name, value);
  // Colons and slashes need no escaping here, and occur in most searches.
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
