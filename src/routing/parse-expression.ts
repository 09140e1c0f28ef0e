/** A regular expression as a tree. Groups are gone: they only say what belongs together. */
export type Expression =
  | { readonly kind: 'char'; readonly source: string }
  | { readonly kind: 'assertion'; readonly source: string; readonly inner: Expression | undefined }
  | { readonly kind: 'sequence'; readonly parts: readonly Expression[] }
  | { readonly kind: 'choice'; readonly options: readonly Expression[] }
  | {
      readonly kind: 'repeat';
      readonly body: Expression;
      readonly min: number;
      /** Infinity for no limit. */
      readonly max: number;
      readonly lazy: boolean;
    };

/** What keeps a text from being a linear expression, and where. */
export class ExpressionProblem extends Error {
  readonly at: number;
  readonly length: number;

  constructor(message: string, at: number, length: number) {
    super(message);
    this.at = at;
    this.length = length;
  }
}

const atom =
  /\[(?:[^\]\\]|\\.)*\]|\\(?:u\{[0-9A-Fa-f]+\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|c[A-Za-z]|[pP]\{[^}]*\}|.)|[^\\[\](){}*+?|]/suy;
const quantifier = /(?:[*+?]|\{(\d+)(,(\d*))?\})(\??)/y;
const opening = /\((?:\?(?:[:=!]|<[=!]|P?<[\p{L}_$][\p{L}\p{N}_$]*>|'\w+'))?/uy;

/** Reads an expression. @throws ExpressionProblem for what is malformed, refers back, or JavaScript does not have */
export function parseExpression(source: string): Expression {
  const reader = { source, at: 0 };
  const tree = parseChoice(reader);
  if (reader.at < source.length)
    throw new ExpressionProblem('closes a group that was never opened', reader.at, 1);
  return tree;
}

interface Reader {
  readonly source: string;
  at: number;
}

function parseChoice(reader: Reader): Expression {
  const options: Expression[] = [];
  do {
    if (options.length > 0) reader.at += 1;
    options.push(parseSequence(reader));
  } while (reader.source[reader.at] === '|');
  return options.length === 1 && options[0] !== undefined ? options[0] : { kind: 'choice', options };
}

function parseSequence(reader: Reader): Expression {
  const parts: Expression[] = [];
  while (reader.at < reader.source.length && !'|)'.includes(reader.source[reader.at] ?? '')) {
    const start = reader.at;
    const item = reader.source[start] === '(' ? parseGroup(reader) : parseAtom(reader);
    parts.push(parseRepeat(reader, item, start));
  }
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'sequence', parts };
}

function parseGroup(reader: Reader): Expression {
  const start = reader.at;
  const [head] = match(opening, reader) ?? [''];
  if (head === '(' && reader.source[start + 1] === '?') {
    throw new ExpressionProblem('holds a kind of group that JavaScript does not have', start, 3);
  }
  const inner = parseChoice(reader);
  if (reader.source[reader.at] !== ')')
    throw new ExpressionProblem('opens a group that is never closed', start, 1);
  reader.at += 1;
  const looks = /^\(\?<?[=!]/.test(head);
  return looks ? { kind: 'assertion', source: `${head}${renderExpression(inner)})`, inner } : inner;
}

function parseAtom(reader: Reader): Expression {
  const start = reader.at;
  const [text] = match(atom, reader) ?? [];
  if (text === undefined) throw new ExpressionProblem('has nothing to repeat or an open bracket', start, 1);
  if (/^\\[1-9k]/.test(text)) {
    throw new ExpressionProblem(
      'refers back to a group, which cannot be matched in linear time',
      start,
      text.length,
    );
  }
  if (/^(?:[$^]|\\[bB])$/.test(text)) return { kind: 'assertion', source: text, inner: undefined };
  // Outside a class only these may be escaped under the flag `u`; other languages escape more.
  const needless = /^\\[^\w\\^$.*+?()[\]{}|/]$/u.test(text);
  return { kind: 'char', source: needless ? text.slice(1) : text };
}

function parseRepeat(reader: Reader, body: Expression, start: number): Expression {
  const found = match(quantifier, reader);
  if (found === null) return body;
  const [text, min, range, max, lazy] = found;
  if (reader.source[reader.at] === '+') {
    throw new ExpressionProblem(
      'repeats possessively, which JavaScript cannot',
      start,
      reader.at + 1 - start,
    );
  }
  const least = min === undefined ? (text.startsWith('+') ? 1 : 0) : Number(min);
  const simple = text.startsWith('?') ? 1 : Infinity;
  const most = min === undefined ? simple : range === undefined ? least : max === '' ? Infinity : Number(max);
  if (least > most) throw new ExpressionProblem('repeats from more to fewer', start, reader.at - start);
  return { kind: 'repeat', body, min: least, max: most, lazy: lazy === '?' };
}

function match(form: RegExp, reader: Reader): RegExpExecArray | null {
  form.lastIndex = reader.at;
  const found = form.exec(reader.source);
  if (found !== null) reader.at = form.lastIndex;
  return found;
}

/** Source of a tree, without captures, for the flags `su`. */
export function renderExpression(tree: Expression): string {
  switch (tree.kind) {
    case 'char':
    case 'assertion':
      return tree.source;
    case 'sequence':
      return tree.parts
        .map((part) => (part.kind === 'choice' ? group(part) : renderExpression(part)))
        .join('');
    case 'choice':
      return tree.options.map(renderExpression).join('|');
    case 'repeat':
      return renderRepeat(tree);
  }
}

function renderRepeat({ body, min, max, lazy }: Extract<Expression, { kind: 'repeat' }>): string {
  const short = min === 0 && max === 1 ? '?' : max === Infinity && min <= 1 ? '*+'[min] : undefined;
  const range = min === max ? `{${min}}` : `{${min},${max === Infinity ? '' : max}}`;
  return `${body.kind === 'char' ? body.source : group(body)}${short ?? range}${lazy ? '?' : ''}`;
}

function group(tree: Expression): string {
  return `(?:${renderExpression(tree)})`;
}
