import { isCodedError } from '#core/coded-error';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { ExplainedQuery, QueryExplainer } from '../../model/profiler.js';
import { findSection } from '../../sections/define-section.js';
import type { DbSection } from '../../sections/database/queries.js';
import { readPlan, type WholeRead } from '../../sections/database/read-plan.js';
import { readSelect } from '../../sections/database/read-select.js';
import { messageOf } from '../../sections/message-reader.js';

/** A database's plan for a recorded query, or the reason why there is none. */
export interface QueryPlan {
  /** The plan's assumption about the query's values; empty if there is no plan. */
  readonly label: string;
  readonly text: string;
  /** A remark on the plan; null if uncertain. */
  readonly remark: string | null;
  /** Why there is no plan; null if there is one. */
  readonly failure: string | null;
}

/** Returns a record's query by index, if it can be explained: a SELECT recorded in full. */
export function findSelect(record: ProfileRecord, index: number): ExplainedQuery | undefined {
  const query = findSection<DbSection>(record, 'db', ['queries'])?.queries[index];
  return query === undefined ? undefined : readSelect(query);
}

/** Requests a query's plan from the database. Never rejects. */
export async function planOf(explainer: QueryExplainer, select: ExplainedQuery): Promise<QueryPlan> {
  try {
    const { text, placeholders } = await explainer.explain(select);
    const label = {
      values: 'Plan',
      any: 'Plan for unknown values: not all recorded values are known',
      null: 'Plan with NULL in place of the values: not all of them are known',
    }[placeholders];
    const whole = placeholders === 'null' ? undefined : readPlan(text, select.sql);
    return { label, text, remark: whole === undefined ? null : wholeWords(whole), failure: null };
  } catch (error) {
    const reason = isCodedError(error) ? `${error.message} ${error.fix ?? ''}` : messageOf(error);
    return { label: '', text: '', remark: null, failure: reason };
  }
}

function wholeWords({ table, advice }: WholeRead): string {
  const words = `Reads the whole table ${table}.`;
  return advice === undefined ? words : `${words} ${advice}`;
}
