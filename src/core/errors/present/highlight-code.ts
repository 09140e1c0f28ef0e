import type { SpanPart } from '#core/html';

const keywords = new Set(
  (
    'abstract as asserts async await break case catch class const constructor continue declare default delete do else ' +
    'enum export extends finally for from function get if implements import in infer instanceof interface is keyof let ' +
    'namespace new of override private protected public readonly return satisfies set static super switch this throw ' +
    'try type typeof using var void while with yield'
  ).split(' '),
);
const literals = new Set(['true', 'false', 'null', 'undefined', 'NaN', 'Infinity']);

/** Comments, strings, numbers, words, space, or any other character: the first one decides, so it takes linear time. */
const token =
  /\/\/.*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?|'(?:[^'\\\n]|\\.)*'?|"(?:[^"\\\n]|\\.)*"?|`(?:[^`\\]|\\[^])*`?|\d[\w.]*|[A-Za-z_$@#][\w$]*|\s+|[^]/y;
const regexLiteral = /\/(?![/*])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;

interface Piece {
  readonly style: string;
  readonly text: string;
}

/** Highlights lines as spans (`ck` keyword, `cs`, `cn`, `cf`, `ct`, `cc`); what is at `column` of `markedLine` is a `mark`. */
export function highlightLines(lines: readonly string[], markedLine: number, column: number): SpanPart[][] {
  const rows: Piece[][] = [[]];
  for (const { style, text } of readPieces(lines.join('\n')))
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) rows.push([]);
      if (part !== '') rows.at(-1)?.push({ style, text: part });
    }
  return rows.map((pieces, index) => {
    let end = 0;
    return pieces.map(({ style, text }): SpanPart => {
      const isHit = index === markedLine && column > end && column <= end + text.length;
      end += text.length;
      const inner: SpanPart = style === '' ? text : [style, text];
      // Where only the line is known, the column is that of its indentation.
      return isHit && text.trim() !== '' ? ['mark', [inner]] : inner;
    });
  });
}

function* readPieces(text: string): Generator<Piece> {
  let at = endOfOpenComment(text);
  if (at > 0) yield { style: 'cc', text: text.slice(0, at) };
  let before: Piece | undefined;
  while (at < text.length) {
    const literal = text[at] === '/' && mayStartRegex(before) ? matchAt(regexLiteral, text, at) : '';
    const found = literal || matchAt(token, text, at);
    const piece = { style: literal === '' ? styleOf(found, text, at) : 'cs', text: found };
    yield piece;
    if (found.trim() !== '') before = piece;
    at += found.length;
  }
}

/** Returns where a block comment ends that began above the text: its end comes before any start. */
function endOfOpenComment(text: string): number {
  const end = text.indexOf('*/');
  const start = text.indexOf('/*');
  return end !== -1 && (start === -1 || end < start) ? end + 2 : 0;
}

function styleOf(found: string, text: string, at: number): string {
  if (/^[A-Za-z_$@#]/.test(found)) return styleOfWord(found, text, at);
  if (/^\d/.test(found)) return 'cn';
  if (/^['"`]/.test(found)) return 'cs';
  return /^\/[/*]/.test(found) ? 'cc' : '';
}

function styleOfWord(word: string, text: string, at: number): string {
  const isProperty = text[at - 1] === '.';
  if (!isProperty && keywords.has(word)) return 'ck';
  if (!isProperty && literals.has(word)) return 'cn';
  if (text[at + word.length] === '(') return 'cf';
  return /^[A-Z][A-Za-z0-9]*[a-z]/.test(word) ? 'ct' : '';
}

/** Returns whether a slash starts a regular expression; after a name, a number or a closing bracket it divides. */
function mayStartRegex(before: Piece | undefined): boolean {
  if (before === undefined || before.style === 'ck') return true;
  return before.style === '' && /[([{=,;:!&|?+\-*%<>~^]$/.test(before.text);
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}
