import { undoAll } from '#patches';
import { listenToOperations, type OperationListener } from '../source/listen-to.js';
import { fieldOf, textField } from '../source/fields.js';
import { publishQuery } from './record-query.js';

/** Listens to the channels of mysql2 (from 3.20 on). The channel of pools only restores the scope of callers that waited for a connection. */
export function listenToMysql2(): () => void {
  const publish: OperationListener = (message, moment) => {
    const sql = fieldOf(message, 'query');
    if (typeof sql !== 'string') return;
    // `query` has already inserted its values into the statement; values of secret names are redacted there.
    const params = sql.includes('?') ? fieldOf(message, 'values') : undefined;
    const statement = { sql, params, error: fieldOf(message, 'error') };
    publishQuery({ ...statement, rows: rowsOf(fieldOf(message, 'result')) }, { system: 'mysql', moment });
  };
  const textOf = (message: object): string => textField(message, 'query');
  return undoAll([
    listenToOperations('mysql2:query', publish, textOf),
    listenToOperations('mysql2:execute', publish, textOf),
    listenToOperations('mysql2:pool:connect', () => undefined),
  ]);
}

function rowsOf(result: unknown): number | undefined {
  if (Array.isArray(result)) return result.length;
  const affected = fieldOf(result, 'affectedRows');
  return typeof affected === 'number' ? affected : undefined;
}
