import type { Redactor } from '#core/dump';
import type { RecordedCallSite } from '../../model/find-location.js';
import { cleanTexts } from '../define-section.js';
import { readStatement } from './statements.js';

/** One statement's executions from one call site; the record keeps only their counts. Times in milliseconds. */
export interface OmittedQueries {
  readonly sql: string;
  readonly connection: string;
  /** At most the innermost call. */
  readonly callSite: readonly RecordedCallSite[];
  readonly count: number;
  /** Time during which at least one of them ran. */
  readonly durationMs: number;
  /** Whether their values differed. */
  readonly isVaried: boolean;
}

/** Maximum statements counted individually, and maximum values compared. */
const maxStatements = 200;
const maxValues = 50;

/** Counts queries beyond a record's limits by statement and call site. Bounded. */
export class OmittedTally {
  readonly #found = new Map<
    string,
    OmittedQueries & { endMs: number; readonly values: readonly unknown[] }
  >();

  add(
    query: Pick<OmittedQueries, 'sql' | 'connection' | 'callSite' | 'durationMs'>,
    { endMs, params }: { readonly endMs: number; readonly params: unknown },
  ): void {
    const { sql, connection, callSite, durationMs } = query;
    const [site] = callSite;
    const key = `${connection}\n${site?.file}:${site?.line}:${site?.column}\n${sql}`;
    const values: readonly unknown[] = Array.isArray(params) ? params.slice(0, maxValues) : [];
    const known = this.#found.get(key);
    if (known === undefined) {
      if (this.#found.size < maxStatements)
        this.#found.set(key, { ...query, count: 1, isVaried: false, endMs, values });
      return;
    }
    // Queries are added in the order in which they ended, and may have overlapped.
    const alone = Math.max(0, Math.min(durationMs, endMs - known.endMs));
    this.#found.set(key, {
      ...known,
      count: known.count + 1,
      durationMs: known.durationMs + alone,
      isVaried: known.isVaried || isOther(values, known.values),
      endMs: Math.max(endMs, known.endMs),
    });
  }

  /** Returns the statements, without values. */
  toList(): readonly OmittedQueries[] {
    return [...this.#found.values()].map(({ endMs: _end, values: _values, ...query }) => query);
  }
}

function isOther(values: readonly unknown[], others: readonly unknown[]): boolean {
  return values.length !== others.length || values.some((value, at) => !Object.is(value, others[at]));
}

export function cleanOmitted(
  omitted: readonly OmittedQueries[],
  redactor: Redactor,
): readonly OmittedQueries[] {
  return omitted.map((query) => ({
    ...cleanTexts(query, redactor, ['sql']),
    sql: readStatement(query.sql, redactor).sql,
  }));
}
