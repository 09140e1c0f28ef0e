/** A regular expression as a syntax tree. Groups are not represented: the tree's structure replaces them. */
export type Expression =
  | { readonly kind: 'char'; readonly source: string }
  | { readonly kind: 'assertion'; readonly source: string; readonly inner: Expression | undefined }
  | { readonly kind: 'sequence'; readonly parts: readonly Expression[] }
  | { readonly kind: 'choice'; readonly options: readonly Expression[] }
  | {
      readonly kind: 'repeat';
      readonly body: Expression;
      /** Infinity for no limit. */
      readonly max: number;
      readonly min: number;
      readonly lazy: boolean;
    };

/** Why an expression cannot be a requirement. */
export class ExpressionProblem extends Error {}

const atom =
  /\[(?:[^\]\\]|\\.)*\]|\\(?:u\{[0-9A-Fa-f]+\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|c[A-Za-z]|[pP]\{[^}]*\}|.)|[^\\[\](){}*+?|]/suy;
const quantifier = /(?:[*+?]|\{(\d+)(,(\d*))?\})(\??)/y;
const opening = /\((?:\?(?:[:=!]|<[=!]|<[\p{L}_$][\p{L}\p{N}_$]*>))?/uy;
/** Finds needless escapes outside of classes: the flag `u` allows only some, but other languages escape more. */
const escapes = /(\[(?:[^\]\\]|\\.)*\])|\\([^\w\\^$.*+?()[\]{}|/])|\\./gsu;

/** Parses an expression. @throws ExpressionProblem for malformed expressions, backreferences, lookbehinds and inline flags */
export function parseExpression(written: string): Expression {
  const source = written.replace(escapes, (text, _class, needless?: string) => needless ?? text);
  try {
    RegExp(source, 'su');
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*: (?=[^:]*$)/s, '') : 'malformed';
    throw new ExpressionProblem(`is not a valid regular expression (${reason})`);
  }
  return parseChoice({ source, at: 0 });
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
    parts.push(
      parseRepeat(reader, reader.source[reader.at] === '(' ? parseGroup(reader) : parseAtom(reader)),
    );
  }
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'sequence', parts };
}

function parseGroup(reader: Reader): Expression {
  const [head = '('] = match(opening, reader) ?? [];
  if (reader.source[reader.at] === '?') throw new ExpressionProblem('sets flags inside the expression');
  if (/^\(\?<[=!]/.test(head)) throw new ExpressionProblem('looks behind, which is not supported');
  const inner = parseChoice(reader);
  reader.at += 1;
  const looksAhead = head === '(?=' || head === '(?!';
  return looksAhead ? { kind: 'assertion', source: `${head}${renderExpression(inner)})`, inner } : inner;
}

function parseAtom(reader: Reader): Expression {
  const [text = ''] = match(atom, reader) ?? [];
  if (text === '') throw new ExpressionProblem(`cannot be read at "${reader.source.slice(reader.at)}"`);
  if (/^\\[1-9k]/.test(text)) {
    throw new ExpressionProblem('refers back to a group, which cannot be matched in linear time');
  }
  if (/^(?:[$^]|\\[bB])$/.test(text)) return { kind: 'assertion', source: text, inner: undefined };
  return { kind: 'char', source: text };
}

function parseRepeat(reader: Reader, body: Expression): Expression {
  const found = match(quantifier, reader);
  if (found === null) return body;
  const [text, least, range, most, lazy] = found;
  const repeat = { kind: 'repeat', body, lazy: lazy === '?' } as const;
  if (least === undefined) {
    return { ...repeat, min: text.startsWith('+') ? 1 : 0, max: text.startsWith('?') ? 1 : Infinity };
  }
  const max = range === undefined ? Number(least) : most === '' ? Infinity : Number(most);
  return { ...repeat, min: Number(least), max };
}

function match(form: RegExp, reader: Reader): RegExpExecArray | null {
  form.lastIndex = reader.at;
  const found = form.exec(reader.source);
  if (found !== null) reader.at = form.lastIndex;
  return found;
}

/** Renders a tree as source without captures, for the flags `su`. */
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
