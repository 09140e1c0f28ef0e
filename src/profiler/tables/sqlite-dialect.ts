import type { SqlDialect } from './sql-database.js';

/** The dialect of SQLite, with which times are numbers. */
export const sqliteDialect: SqlDialect = {
  types: {
    text: 'TEXT',
    integer: 'INTEGER',
    id: 'INTEGER',
    real: 'REAL',
    time: 'REAL',
    bytes: 'BLOB',
    json: 'TEXT',
  },
  rowsPerInsert: 1,
  now: `((julianday('now') - 2440587.5) * 86400000.0)`,
  table: (name) => name,
  toTime: (expression) => expression,
  toMilliseconds: (column) => column,
  floor: (expression) => `CAST(${expression} AS INTEGER)`, // builds without mathematical functions have no floor()
  toReadable: (column) => `strftime('%Y-%m-%d %H:%M:%f', ${column} / 1000, 'unixepoch')`,
  collected: (name) => `json_extract(numbers, '$."${name}"')`,
  like: (text, pattern) => `${text} LIKE ${pattern} ESCAPE '\\'`,
  matches: (text, pattern) => `${text} GLOB ${pattern}`,
  casePattern(letters, kind) {
    const any = letters.map((cases) =>
      cases.length > 1 ? `[${cases.join('')}]` : globLetter(cases[0] ?? ''),
    );
    return `${kind === 'contains' ? '*' : ''}${any.join('')}${kind === 'is' ? '' : '*'}`;
  },
};

function globLetter(letter: string): string {
  return '*?['.includes(letter) ? `[${letter}]` : letter;
}
