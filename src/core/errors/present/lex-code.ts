/** Lexical analysis of JavaScript and TypeScript, line by line. It takes linear time and never throws. */

/** A part of a line; its style is `ck` (keyword), `cs`, `cn`, `cf`, `ct`, `cc`, or empty. */
export interface CodePiece {
  readonly style: string;
  readonly text: string;
}

/**
 * The constructs open at the start of a line, outermost first, one letter each: `` ` `` template · `$` expression in a
 * template or in JSX · `{` block within one · `*` block comment · `<` JSX tag · `>` children of a JSX element · `'` and
 * `"` JSX attribute · `s` and `d` string · `/` line comment, if a line was cut within them. A final `.` means that a
 * value precedes, so that a slash divides.
 */
export type OpenCode = string;

const keywords = new Set(
  (
    'abstract as asserts async await break case catch class const constructor continue declare default delete do else ' +
    'enum export extends finally for from function get if implements import in infer instanceof interface is keyof let ' +
    'namespace new of override private protected public readonly return satisfies set static super switch this throw ' +
    'try type typeof using var void while with yield'
  ).split(' '),
);
/** Keywords that an operator may follow, and words that may also be names. */
const valueWords = new Set('this super as async from get set of type is'.split(' '));
const literals = new Set(['true', 'false', 'null', 'undefined', 'NaN', 'Infinity']);
const conditionWords = new Set(['if', 'for', 'while', 'with']);
/** Maximum number of nested constructs that are tracked; deeper ones count as code. */
const maxOpen = 200;

const token =
  /\/\/.*|\/\*|'(?:[^'\\]|\\.)*'?|"(?:[^"\\]|\\.)*"?|\d[\w.]*|[\p{ID_Start}$_@#][\p{ID_Continue}$]*|\s+|=>|\+\+|--|[^]/uy;
const regexLiteral = /\/(?![/*])(?:[^\\/[]|\\.|\[(?:[^\]\\]|\\.){0,500}\]){1,500}\/[a-z]*/uy;
const tagStart = /<(?:[\p{ID_Start}$_][\w$.:-]*(?![\w$.:-]|\s*,|\s+extends\s)|(?=>))/uy;
const typeParameter = /<[A-Z]\w?>\(/uy;
/** The rest of an open construct, up to its end on this line. */
const rests: Readonly<Record<string, RegExp>> = {
  '*': /(?:[^*]|\*(?!\/))*(?:\*\/)?/uy,
  '`': /(?:[^`\\$]|\\[^]|\\$|\$(?!\{))*/uy,
  '>': /[^<{]+/uy,
  "'": /[^']*'?/uy,
  '"': /[^"]*"?/uy,
  s: /(?:[^'\\]|\\.)*(?:'|\\$)?/uy,
  d: /(?:[^"\\]|\\.)*(?:"|\\$)?/uy,
  '/': /.*/uy,
};
const endOf: Readonly<Record<string, string>> = { '*': '*/', "'": "'", '"': '"', s: "'", d: '"' };

/** Reads a file's lines in order. */
export class CodeReader {
  /** Like `OpenCode`, plus parentheses: `(`, and `k` after `if`, `for`, `while` and `with`. */
  #open: string[];
  #isAfterValue: boolean;
  /** The last word was one of `if`, `for`, `while`, `with`. */
  #isCondition = false;
  #isProperty = false;
  readonly #hasJsx: boolean;

  constructor(open: OpenCode = '', { hasJsx = false }: { readonly hasJsx?: boolean } = {}) {
    this.#isAfterValue = open.endsWith('.');
    this.#open = (this.#isAfterValue ? open.slice(0, -1) : open).split('');
    this.#hasJsx = hasJsx;
  }

  get open(): OpenCode {
    const kept = this.#open.filter((kind) => kind !== '(' && kind !== 'k');
    return kept.join('') + (this.#isAfterValue ? '.' : '');
  }

  /** Reads a line; constructs that cannot span lines end with it. */
  readLine(line: string): CodePiece[] {
    const pieces: CodePiece[] = [];
    let at = 0;
    while (at < line.length) {
      const piece = this.#next(line, at);
      if (piece.text !== '') pieces.push(piece);
      at += piece.text.length;
    }
    if (/[sd/]/.test(this.#open.at(-1) ?? '')) this.#open.pop();
    return pieces;
  }

  /** Reads a line, and returns the constructs open at an offset in it. */
  readLineTo(line: string, offset: number): OpenCode {
    let at = 0;
    let within: OpenCode | undefined;
    while (at < line.length) {
      if (at === offset) within = this.open;
      const before = this.open;
      const { text, style } = this.#next(line, at);
      at += text.length;
      if (within === undefined && at > offset) within = this.#within(before, { text, style });
    }
    within ??= this.open;
    if (/[sd/]/.test(this.#open.at(-1) ?? '')) this.#open.pop();
    return within;
  }

  /** The constructs still open in the middle of a piece: usually the same as before it. */
  #within(before: OpenCode, { text, style }: CodePiece): OpenCode {
    const stack = before.endsWith('.') ? before.slice(0, -1) : before;
    if (/[*`'"sd/]$/.test(stack)) return before;
    if (style === 'cc') return stack + (text.startsWith('//') ? '/' : '*');
    if (style === 'cs') return stack + (text.startsWith("'") ? 's' : text.startsWith('"') ? 'd' : '');
    return before;
  }

  #next(line: string, at: number): CodePiece {
    const top = this.#open.at(-1) ?? '';
    const rest = rests[top];
    if (rest === undefined) return top === '<' ? this.#inTag(line, at) : this.#inCode(line, at);
    const text = matchAt(rest, line, at);
    if (top === '>') return text === '' ? this.#markup(line, at) : { style: '', text };
    if (top === '`') {
      const end = line[at + text.length];
      if (end === undefined) return { style: 'cs', text };
      this.#isAfterValue = end === '`';
      if (end === '`') this.#open.pop();
      else this.#push('$');
      return { style: 'cs', text: text + (end === '`' ? end : '${') };
    }
    const end = endOf[top];
    if (end === undefined || text.endsWith(end)) {
      this.#open.pop();
      if (top !== '*' && top !== '/') this.#isAfterValue = true;
    }
    return { style: top === '*' || top === '/' ? 'cc' : 'cs', text };
  }

  /** Among an element's children: a tag, its end, or an expression. */
  #markup(line: string, at: number): CodePiece {
    if (line[at] === '{') return this.#expression();
    const [closing] = /^<\/[^<>]{0,200}>?/.exec(line.slice(at, at + 210)) ?? [];
    if (closing !== undefined) {
      this.#open.pop();
      this.#isAfterValue = true;
      return { style: 'ct', text: closing };
    }
    const tag = matchAt(tagStart, line, at);
    if (tag === '') return { style: '', text: line[at] ?? '' };
    this.#push('<');
    return { style: 'ct', text: tag };
  }

  #inTag(line: string, at: number): CodePiece {
    const first = line[at] ?? '';
    if (first === '{') return this.#expression();
    if (first === '"' || first === "'") {
      this.#push(first);
      const text = first + matchAt(rests[first] ?? token, line, at + 1);
      if (text.length > 1 && text.endsWith(first)) this.#open.pop();
      return { style: 'cs', text };
    }
    if (first === '>' || line.startsWith('/>', at)) {
      this.#open.pop();
      this.#isAfterValue = true;
      if (first === '>') this.#push('>');
      return { style: 'ct', text: first === '>' ? '>' : '/>' };
    }
    const text = matchAt(token, line, at);
    if (!text.startsWith('/*')) return { style: text.startsWith('//') ? 'cc' : '', text };
    this.#push('*');
    return { style: 'cc', text };
  }

  #expression(): CodePiece {
    this.#push('$');
    this.#isAfterValue = false;
    return { style: '', text: '{' };
  }

  #inCode(line: string, at: number): CodePiece {
    const first = line[at];
    const isFree = !this.#isAfterValue;
    if (first === '/' && isFree) {
      const text = matchAt(regexLiteral, line, at);
      if (text !== '') return this.#value('cs', text);
    }
    if (first === '<' && isFree && this.#hasJsx && matchAt(typeParameter, line, at) === '') {
      const text = matchAt(tagStart, line, at);
      if (text !== '') {
        this.#push('<');
        return { style: 'ct', text };
      }
    }
    if (first === '`') {
      this.#push('`');
      return { style: 'cs', text: '`' };
    }
    const text = matchAt(token, line, at) || (first ?? '');
    if (text === '/*') this.#push('*');
    if (text.startsWith('//') || text === '/*' || (at === 0 && line.startsWith('#!') && this.open === ''))
      return { style: 'cc', text: text.startsWith('#') ? line : text };
    if (text.trim() === '') return { style: '', text };
    if (/^['"]/.test(text)) return this.#value('cs', text);
    if (/^\d/.test(text)) return this.#value('cn', text);
    if (/^[\p{ID_Start}$_@#]/u.test(text)) return this.#word(line, at, text);
    return this.#sign(text);
  }

  #value(style: string, text: string): CodePiece {
    this.#isAfterValue = true;
    this.#isCondition = this.#isProperty = false;
    return { style, text };
  }

  #word(line: string, at: number, word: string): CodePiece {
    const isProperty = this.#isProperty;
    const isKeyword = !isProperty && keywords.has(word);
    this.#isAfterValue = !isKeyword || valueWords.has(word);
    this.#isCondition = isKeyword && conditionWords.has(word);
    this.#isProperty = false;
    if (isKeyword) return { style: 'ck', text: word };
    if (!isProperty && literals.has(word)) return { style: 'cn', text: word };
    if (line[at + word.length] === '(') return { style: 'cf', text: word };
    return { style: /^[A-Z][A-Za-z0-9]*[a-z]/.test(word) ? 'ct' : '', text: word };
  }

  #sign(text: string): CodePiece {
    const wasCondition = this.#isCondition;
    const wasValue = this.#isAfterValue;
    this.#isCondition = false;
    this.#isProperty = text === '.';
    this.#isAfterValue = text === ']' || ((text === '++' || text === '--') && wasValue);
    if (text === '(') this.#push(wasCondition ? 'k' : '(');
    else if (text === ')') this.#isAfterValue = this.#close('(k') !== 'k';
    else if (text === '{' && this.#open.includes('$')) this.#push('{');
    else if (text === '}') this.#close('${');
    return { style: '', text };
  }

  /** Closes the innermost of these constructs and any unclosed parentheses in it; returns the closed one. */
  #close(kinds: string): string | undefined {
    for (let at = this.#open.length - 1; at >= 0; at--) {
      const kind = this.#open[at] ?? '';
      if (kinds.includes(kind)) {
        this.#open.length = at;
        return kind;
      }
      if (!'(k'.includes(kind)) return undefined;
    }
    return undefined;
  }

  #push(kind: string): void {
    if (this.#open.length < maxOpen) this.#open.push(kind);
  }
}

/** Maximum text that is read before an excerpt. */
const maxBefore = 64 * 1024;
/** A line that begins a statement, and so is most probably code. */
const statement = /^(?:import|export|(?:async )?function|class|const|let|var|interface|type)[ *{]/;

/** The constructs open at the start of each line of a source, as far as it has been read. */
const openOfSources = new WeakMap<object, { readonly open: OpenCode[]; readonly reader: CodeReader }>();

/** Whether a file is JavaScript or TypeScript; only these are read from their beginning. */
export function isScript(file: string): boolean {
  return /\.[cm]?[jt]sx?$/i.test(file);
}

/**
 * Returns the constructs open at the start of each line of a file, up to the line `last` (from 1). Reads 64 KiB at a
 * time.
 */
export function openLines(
  source: { readonly lines: readonly string[] },
  last: number,
  options: { readonly hasJsx: boolean },
): readonly OpenCode[] {
  const { lines } = source;
  const found = openOfSources.get(source) ?? { open: [], reader: new CodeReader('', options) };
  openOfSources.set(source, found);
  const { open } = found;
  if (lengthOf(lines, open.length, last) <= maxBefore) {
    for (let index = open.length; index < last; index++) {
      open.push(found.reader.open);
      found.reader.readLine(lines[index] ?? '');
    }
    return open;
  }
  let start = last;
  for (let length = 0; start > 0 && length <= maxBefore; start--) length += (lines[start - 1] ?? '').length;
  const begin = lines.findIndex((text, index) => index >= start && index < last && statement.test(text));
  const reader = new CodeReader('', options);
  const far: OpenCode[] = [];
  for (let index = begin === -1 ? last : begin; index < last; index++) {
    far[index] = reader.open;
    reader.readLine(lines[index] ?? '');
  }
  return far;
}

function lengthOf(lines: readonly string[], from: number, to: number): number {
  let length = 0;
  for (let index = from; index < to && length <= maxBefore; index++) length += (lines[index] ?? '').length;
  return length;
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}
