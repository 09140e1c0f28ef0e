import { hearOperations, type TellOperation } from '../source/hear.js';
import { fieldOf } from '../source/fields.js';
import { all } from '../source/replace-method.js';
import { tellQuery } from './query-under-way.js';

/** mysql2 from 3.20 on, by its channels. The one of pools is heard for the scope of those who wait. */
export function hearMysql2(): () => void {
  const tell: TellOperation = (message, moment) => {
    const sql = fieldOf(message, 'query');
    if (typeof sql !== 'string') return;
    // `query` has put its values into the statement, where those of secret names are hidden.
    const params = sql.includes('?') ? fieldOf(message, 'values') : undefined;
    const asked = { sql, params, error: fieldOf(message, 'error') };
    tellQuery({ ...asked, rows: rowsOf(fieldOf(message, 'result')) }, { system: 'mysql', moment });
  };
  return all([
    hearOperations('mysql2:query', tell),
    hearOperations('mysql2:execute', tell),
    hearOperations('mysql2:pool:connect', () => undefined),
  ]);
}

function rowsOf(result: unknown): number | undefined {
  if (Array.isArray(result)) return result.length;
  const affected = fieldOf(result, 'affectedRows');
  return typeof affected === 'number' ? affected : undefined;
}
