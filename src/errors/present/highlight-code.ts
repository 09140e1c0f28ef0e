import type { SpanPart } from '#html';

const keywords = new Set(
  (
    'abstract as asserts async await break case catch class const constructor continue declare default delete do else ' +
    'enum export extends finally for from function get if implements import in infer instanceof interface is keyof let ' +
    'namespace new of override private protected public readonly return satisfies set static super switch this throw ' +
    'try type typeof using var void while with yield'
  ).split(' '),
);
const literals = new Set(['true', 'false', 'null', 'undefined', 'NaN', 'Infinity']);

/** One alternative per kind of token. The first characters decide between them, so matching takes linear time. */
const token =
  /(?<comment>\/\/.*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?)|(?<string>'(?:[^'\\]|\\.)*'?|"(?:[^"\\]|\\.)*"?)|(?<template>`)|(?<number>\d[\w.]*)|(?<word>[A-Za-z_$@#][\w$]*)|(?<space>\s+)|(?<other>[\s\S])/y;
const styles: Readonly<Record<string, string>> = {
  comment: 'cc',
  string: 'cs',
  template: 'cs',
  number: 'cn',
};
const regexLiteral = /\/(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const restOfTemplate = /(?:[^`\\]|\\.)*(?:`|$)/y;

/** Longer lines are generated code and are not highlighted; excerpts truncate them anyway. */
const maxLineLength = 1000;

type State = 'code' | 'comment' | 'template';

/** A highlighted piece of a line; `at` is its start column, from 0. */
interface Piece {
  readonly style: string;
  readonly text: string;
  readonly at: number;
}

/**
 * Highlights JavaScript and TypeScript lines as spans (`ck` keyword, `cs` string, `cn` number, `cf` function, `ct` type,
 * `cc` comment). In the line with the index `markedLine` (from 0), the piece at `column` (from 1) becomes a `mark`.
 */
export function highlightLines(lines: readonly string[], markedLine: number, column: number): SpanPart[][] {
  let state: State = startsInComment(lines) ? 'comment' : 'code';
  return lines.map((line, index) => {
    const read = readLine(line, state);
    state = read.state;
    const at = index === markedLine && column > 0 ? column - 1 : -1;
    // Where only the line is known, the column is that of its indentation.
    const isSpace = read.pieces.some((piece) => piece.at === at && piece.text.trim() === '');
    return read.pieces.map((piece) => toSpan(piece, isSpace ? -1 : at));
  });
}

function toSpan({ style, text, at }: Piece, marked: number): SpanPart {
  const inner: SpanPart = style === '' ? text : [style, text];
  return at <= marked && marked < at + text.length ? ['mark', [inner]] : inner;
}

/** Returns whether the first line is inside a block comment: the excerpt then has a comment end before any comment start. */
function startsInComment(lines: readonly string[]): boolean {
  const text = lines.join('\n');
  const end = text.indexOf('*/');
  const start = text.indexOf('/*');
  return end !== -1 && (start === -1 || end < start);
}

function readLine(line: string, before: State): { pieces: Piece[]; state: State } {
  if (line.length > maxLineLength) return { pieces: [{ style: '', text: line, at: 0 }], state: before };
  const pieces: Piece[] = [];
  let state = before;
  let at = 0;
  const push = (style: string, text: string): void => {
    if (text !== '') pieces.push({ style, text, at });
    at += text.length;
  };
  if (state === 'comment') {
    const end = line.indexOf('*/');
    push('cc', end === -1 ? line : line.slice(0, end + 2));
    if (end !== -1) state = 'code';
  }
  while (at < line.length) {
    if (state === 'template') {
      const text = matchAt(restOfTemplate, line, at) || line.slice(at);
      push('cs', text);
      if (text.endsWith('`')) state = 'code';
      else break;
      continue;
    }
    const found = readToken(line, at, pieces);
    push(found.style, found.text);
    if (found.style === 'cc' && found.text.startsWith('/*') && !found.text.endsWith('*/')) state = 'comment';
    if (found.text === '`') state = 'template';
  }
  return { pieces, state };
}

function readToken(line: string, at: number, before: readonly Piece[]): { style: string; text: string } {
  if (line[at] === '/' && line[at + 1] !== '/' && line[at + 1] !== '*' && mayStartRegex(before)) {
    const text = matchAt(regexLiteral, line, at);
    if (text !== '') return { style: 'cs', text };
  }
  token.lastIndex = at;
  const groups = token.exec(line)?.groups ?? {};
  // Each group by its name: listing them all for every token doubles the time of an error page.
  if (groups['word'] !== undefined)
    return { style: styleOfWord(groups['word'], line, at), text: groups['word'] };
  for (const kind in styles) {
    const text = groups[kind];
    if (text !== undefined) return { style: styles[kind] ?? '', text };
  }
  return { style: '', text: groups['space'] ?? line[at] ?? '' };
}

function styleOfWord(word: string, line: string, at: number): string {
  const isProperty = line[at - 1] === '.';
  if (!isProperty && keywords.has(word)) return 'ck';
  if (!isProperty && literals.has(word)) return 'cn';
  const next = line[at + word.length];
  if (next === '(') return 'cf';
  return /^[A-Z][A-Za-z0-9]*[a-z]/.test(word) ? 'ct' : '';
}

/** Returns whether a slash starts a regular expression; after a name, a number or a closing bracket it divides. */
function mayStartRegex(before: readonly Piece[]): boolean {
  const last = before.findLast((piece) => piece.text.trim() !== '');
  if (last === undefined) return true;
  return last.style === 'ck' || (last.style === '' && /[([{=,;:!&|?+\-*%<>~^]$/.test(last.text));
}

function matchAt(pattern: RegExp, line: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(line)?.[0] ?? '';
}
