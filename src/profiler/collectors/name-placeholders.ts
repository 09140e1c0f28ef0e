/** What a statement is made of, as far as names of values need it: quoted texts, names, placeholders, brackets. */
const token = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\?|\$\d+|[a-z_][\w$]*|[(),.]|<=|>=|<>|!=|[=<>]/gi;
const comparison = /^(?:=|<|>|<=|>=|<>|!=|like|ilike|in|between|and|not|is|any|[(),])$/i;

const keyword = /^(?:select|from|where|set|values|returning|on|case|when|then|else|end)$/i;

/**
 * For each placeholder of a statement the column that its value belongs to, where the text shows it: `a = ?`,
 * `a in (?, ?)`, `insert into t (a, b) values (default, ?)`. Used to know which values are secrets.
 */
export function namePlaceholders(sql: string): (string | null)[] {
  const names: (string | null)[] = [];
  let rows = findInsertedRows(sql);
  let column: string | null = null;
  let isAlias = false; // what follows `as` names what stands before it
  for (const { 0: text, index } of sql.matchAll(token)) {
    if (rows !== undefined && index >= rows.start && !rows.take(text)) rows = undefined;
    if (text === '?' || /^\$\d+$/.test(text)) names.push(rows?.column() ?? column);
    else if (isAlias) column = null;
    else if (isName(text)) column = isCalled(sql, index + text.length) ? column : unquote(text);
    else if (!comparison.test(text) && text !== '.') column = null;
    isAlias = /^as$/i.test(text);
  }
  return names;
}

/** The rows behind `values` of an insert, read token by token. */
interface InsertedRows {
  /** Where they begin in the statement. */
  readonly start: number;
  /** Reads the next token; false after the last row. */
  take(text: string): boolean;
  /** Of the value that is being read; undefined outside of rows and where there are more values than columns. */
  column(): string | undefined;
}

function findInsertedRows(sql: string): InsertedRows | undefined {
  const insert = /^\s*(?:insert|replace)\s[^(]{1,300}\(([^()]{1,5000})\)[^()]{0,60}?\bvalues?(?=\s*\()/i.exec(
    sql,
  );
  if (insert === null) return undefined;
  const columns = (insert[1] ?? '').split(',').map((column) => unquote(column.trim()));
  let depth = 0;
  let place = 0;
  return {
    start: insert[0].length,
    take(text) {
      if (text === '(' && ++depth === 1) place = 0;
      else if (text === ')') depth--;
      else if (text === ',' && depth === 1) place++;
      return depth > 0 || /^[(),]$/.test(text);
    },
    column: () => (depth > 0 ? columns[place] : undefined),
  };
}

/** Whether the name that ends here is that of a function: its arguments belong to the column before it. */
function isCalled(sql: string, end: number): boolean {
  return sql.startsWith('(', end) || sql.startsWith(' (', end);
}

function isName(text: string): boolean {
  return /^["`]|^[a-z_]/i.test(text) && !comparison.test(text) && !keyword.test(text);
}

function unquote(name: string): string {
  return name.replace(/^["`]|["`]$/g, '');
}
