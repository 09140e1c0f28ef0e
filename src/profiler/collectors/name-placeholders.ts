/** What a statement is made of, as far as names of values need it: quoted texts, names, placeholders, brackets. */
const token = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\?|\$\d+|[a-z_][\w$]*|[(),.]|<=|>=|<>|!=|[=<>]/gi;
const comparison = /^(?:=|<|>|<=|>=|<>|!=|like|ilike|in|between|and|not|is|any|\(|,)$/i;

const keyword = /^(?:select|from|where|set|values|returning|on|case|when|then|else|end)$/i;

/**
 * For each placeholder of a statement the column that its value belongs to, where the text shows it: `a = ?`,
 * `a in (?, ?)`, `insert into t (a, b) values (?, ?)`. Used to know which values are secrets.
 */
export function namePlaceholders(sql: string): (string | null)[] {
  const names: (string | null)[] = [];
  const columns = insertColumns(sql);
  let place = 0;
  let column: string | null = null;
  for (const [text] of sql.matchAll(token)) {
    if (text === '?' || /^\$\d+$/.test(text)) {
      names.push(columns === undefined ? column : (columns[place % columns.length] ?? null));
      place++;
    } else if (isName(text)) column = unquote(text);
    else if (!comparison.test(text) && text !== '.') column = null;
  }
  return names;
}

/** Columns of an insert whose values are all placeholders; else undefined. */
function insertColumns(sql: string): string[] | undefined {
  const insert =
    /^\s*insert\s+(?:or\s+\w+\s+)?into\s+[^(]{1,300}\(([^()]{1,5000})\)\s*values\s*\(([^()]{0,20000})\)/i.exec(
      sql,
    );
  if (insert === null) return undefined;
  const columns = (insert[1] ?? '').split(',').map((column) => unquote(column.trim()));
  const values = (insert[2] ?? '').split(',').map((value) => value.trim());
  const plain =
    values.length === columns.length && values.every((value) => value === '?' || /^\$\d+$/.test(value));
  return plain ? columns : undefined;
}

function isName(text: string): boolean {
  return /^["`]|^[a-z_]/i.test(text) && !comparison.test(text) && !keyword.test(text);
}

function unquote(name: string): string {
  return name.replace(/^["`]|["`]$/g, '');
}
