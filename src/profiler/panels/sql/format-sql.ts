import { type SqlToken, sqlTokens } from './sql-tokens.js';

/** Keywords that start a new line. */
const clauses = new Set(
  (
    'select from where having limit offset returning values set union intersect except insert update delete with window ' +
    'fetch group order left right inner full cross join on'
  ).split(' '),
);
/** Keywords that start no line after the given words, since they belong together: `left join`, `delete from`. */
const pairedWords: Readonly<Record<string, string>> = {
  join: 'left right inner full cross outer',
  from: 'delete distinct',
  set: 'update',
  on: '',
};
const maxDepth = 12;

/**
 * Breaks a statement into lines: each clause starts a line, conditions are indented below it, and subqueries in parentheses
 * are indented. Only white space between tokens changes; texts, names and comments stay unchanged.
 */
export function formatSql(sql: string): string {
  const tokens = sqlTokens(sql.trim());
  const brackets: boolean[] = [];
  const lines: string[] = [];
  let depth = 0;
  let out = '';
  let before = '';
  const line = (extra = 0): void => {
    const ended = out.trimEnd();
    if (ended !== '') lines.push(ended);
    out = lines.length === 0 ? '' : ' '.repeat(2 * Math.min(depth, maxDepth) + extra);
  };
  for (const [at, { kind, text }] of tokens.entries()) {
    const word = kind === 'word' ? text.toLowerCase() : '';
    if (kind === 'space') {
      if (out !== '' && !out.endsWith(' ')) out += ' ';
      continue;
    }
    if (text === ')' && brackets.pop() === true) {
      depth--;
      line();
    }
    if (beginsLine(word, before)) line();
    else if (word === 'and' || word === 'or') line(2);
    out += text;
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
  if (word === 'on') return false;
  return !(pairedWords[word] ?? '').split(' ').includes(before) || before === '';
}

/** Returns whether the text after an opening parenthesis is a subquery. */
function holdsClauses(tokens: readonly SqlToken[], from: number): boolean {
  const next = tokens.slice(from, from + 2).find(({ kind }) => kind !== 'space');
  return next?.kind === 'word' && /^(?:select|with|values)$/i.test(next.text);
}
