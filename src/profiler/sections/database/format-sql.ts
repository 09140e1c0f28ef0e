import type { Snapshot } from '#core/dump';

const tokenKinds = ['space', 'comment', 'text', 'name', 'placeholder', 'word', 'sign'] as const;

export interface SqlToken {
  readonly kind: (typeof tokenKinds)[number];
  readonly text: string;
}

/**
 * Runs in linear time: the alternatives start with different characters, each repeats one class, and all are bounded.
 */
const pattern =
  /(?<space>\s+)|(?<comment>--[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?)|(?<text>\$\$(?:[^$]|\$(?!\$))*(?:\$\$)?|'(?:[^'\\]|''|\\[^])*'?)|(?<name>"(?:[^"]|"")*"?|`[^`]*`?|\[[^\]\n]{0,128}\])|(?<placeholder>\?|\$\d+|(?<!:):[a-z_]\w*|@\w+)|(?<word>[\p{L}_][\p{L}\p{N}_$]*|\d[\w.]*)|(?<sign>[^])/giu;

/** Splits a statement into tokens, whose concatenation is the statement. Accepts any text, even invalid SQL. */
export function sqlTokens(sql: string): readonly SqlToken[] {
  return Array.from(sql.matchAll(pattern), ({ 0: text, groups = {} }) => {
    const kind = tokenKinds.find((name) => groups[name] !== undefined) ?? 'sign';
    return { kind, text };
  });
}

/** Words that are highlighted. */
const keywords =
  /^(?:select|from|where|and|or|not|in|is|null|join|left|right|inner|outer|cross|on|as|order|group|by|having|limit|offset|insert|into|values|update|set|delete|returning|distinct|union|with|exists|between|like|asc|desc|begin|commit|rollback|case|when|then|else|end)$/i;

/** Whether a token is an SQL keyword, for highlighting. */
export function isSqlKeyword({ kind, text }: SqlToken): boolean {
  return kind === 'word' && keywords.test(text);
}

/** Returns a statement's keywords as text indexes. */
export function findSqlKeywords(sql: string): readonly (readonly [from: number, to: number])[] {
  const found: (readonly [from: number, to: number])[] = [];
  let at = 0;
  for (const token of sqlTokens(sql)) {
    if (isSqlKeyword(token)) found.push([at, at + token.text.length]);
    at += token.text.length;
  }
  return found;
}

/** Keywords that start a new line. */
const clauses = new Set(
  (
    'select from where having limit offset returning values set union intersect except insert update delete with window ' +
    'fetch group order left right inner full cross join'
  ).split(' '),
);
/** Words after which a keyword does not start a new line, because they belong together: `left join`, `delete from`. */
const pairedWords: Readonly<Record<string, string>> = {
  join: 'left right inner full cross outer',
  from: 'delete distinct',
  set: 'update',
};
const maxDepth = 12;

/** Breaks a statement into lines, changing only white space between tokens. */
export function formatSql(sql: string): string {
  const tokens = sqlTokens(sql.trim());
  const brackets: boolean[] = [];
  const lines: string[] = [];
  let depth = 0;
  // Append-only, because reading the end of a growing string would flatten it for every token.
  let out = '';
  let endsWithSpace = true;
  let before = '';
  const line = (extra = 0): void => {
    const ended = out.trimEnd();
    if (ended !== '') lines.push(ended);
    out = lines.length === 0 ? '' : ' '.repeat(2 * Math.min(depth, maxDepth) + extra);
    endsWithSpace = true;
  };
  for (const [at, { kind, text }] of tokens.entries()) {
    const word = kind === 'word' ? text.toLowerCase() : '';
    if (kind === 'space') {
      if (!endsWithSpace) out += ' ';
      endsWithSpace = true;
      continue;
    }
    if (text === ')' && brackets.pop() === true) {
      depth--;
      line();
    }
    if (beginsLine(word, before)) line();
    else if (word === 'and' || word === 'or') line(2);
    out += text;
    endsWithSpace = text.endsWith(' ');
    if (kind === 'comment' && text.startsWith('--')) line();
    if (text === '(') {
      const isStatement = holdsClauses(tokens, at + 1);
      brackets.push(isStatement);
      if (isStatement) {
        depth++;
        line();
      }
    }
    if (kind !== 'comment') before = word;
  }
  return [...lines, out].join('\n').trim();
}

function beginsLine(word: string, before: string): boolean {
  if (!clauses.has(word)) return false;
  return !(pairedWords[word] ?? '').split(' ').includes(before) || before === '';
}

/** Returns whether the text after an opening parenthesis is a subquery. */
function holdsClauses(tokens: readonly SqlToken[], from: number): boolean {
  const next = tokens.slice(from, from + 2).find(({ kind }) => kind !== 'space');
  return next?.kind === 'word' && /^(?:select|with|values)$/i.test(next.text);
}

/**
 * Replaces a statement's placeholders (`$1` if present, otherwise `?`) with standard SQL literals. Incomplete values
 * are never guessed. Placeholders next to a backslash stay, because its meaning differs between databases and a value
 * could end its literal. `open` is the number of placeholders left because their value is redacted, truncated or not
 * expressible as a literal.
 */
export function fillSql(
  sql: string,
  values: readonly Snapshot[],
): { readonly sql: string; readonly open: number } {
  const form = /\$\d/.test(sql) ? /^\$\d+$/ : /^\?$/;
  let index = 0;
  let open = 0;
  const filled = sqlTokens(sql).map(({ kind, text }) => {
    if (kind !== 'placeholder' || !form.test(text)) return text;
    const at = text.startsWith('$') ? Number(text.slice(1)) - 1 : index++;
    const literal = sql.includes('\\') ? undefined : literalOf(values[at]);
    if (literal === undefined) open++;
    return literal ?? text;
  });
  return { sql: filled.join(''), open };
}

/** Renders a value as a literal; undefined if the value is incomplete or has no literal form. */
function literalOf(snapshot: Snapshot | undefined): string | undefined {
  const value = snapshot && sqlValueOf(snapshot);
  if (typeof value !== 'string') return value === undefined ? undefined : String(value).toUpperCase();
  return value.includes('\\') ? undefined : `'${value.replaceAll("'", "''")}'`;
}

type SqlValue = string | number | bigint | boolean | null;

/** Converts a value for a database driver; undefined if the value is incomplete or not a primitive. */
export function sqlValueOf({ type, text = '', length }: Snapshot): SqlValue | undefined {
  if (type === 'null' || type === 'undefined') return null;
  if (type === 'boolean') return text === 'true';
  if (type === 'number') return /^-?\d/.test(text) ? Number(text) : undefined;
  if (type === 'bigint') return BigInt(text.replace(/n$/, ''));
  if (type === 'date') return text;
  return type === 'string' && (length === undefined || length === text.length) ? text : undefined;
}
