import { type SqlToken, sqlTokens } from './sql-tokens.js';

/** Words that begin a line of their own. */
const clauses = new Set(
  (
    'select from where having limit offset returning values set union intersect except insert update delete with window ' +
    'fetch group order left right inner full cross join on'
  ).split(' '),
);
/** Of two such words that belong together, only the first begins a line: `left join`, `delete from`. */
const pairedWords: Readonly<Record<string, string>> = {
  join: 'left right inner full cross outer',
  from: 'delete distinct',
  set: 'update',
  on: '',
};
const maxDepth = 12;

/**
 * A statement on lines: each clause begins one, conditions stand below it, what is in brackets is indented where it has
 * clauses itself. Texts, names and comments stay as they are; only spaces between are changed.
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

/** Whether what follows an opening bracket is a statement of its own. */
function holdsClauses(tokens: readonly SqlToken[], from: number): boolean {
  const next = tokens.slice(from, from + 2).find(({ kind }) => kind !== 'space');
  return next?.kind === 'word' && /^(?:select|with|values)$/i.test(next.text);
}
