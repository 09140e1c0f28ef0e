import type { SpanPart } from '#core/html';
import { CodeReader, type CodePiece, type OpenCode } from './lex-code.js';

/** An excerpt's code, as input for highlighting. */
export interface HighlightedCode {
  readonly lines: readonly string[];
  /**
   * The constructs open at the start of each line. By default, the first line begins in code, and later ones continue
   * from it.
   */
  readonly open?: readonly OpenCode[] | undefined;
  /** File name, which determines whether the code may contain JSX. */
  readonly file?: string;
}

/**
 * Highlights lines as spans (`ck` keyword, `cs`, `cn`, `cf`, `ct`, `cc`); the token at `column` of `markedLine` is a
 * `mark`.
 */
export function highlightLines(
  { lines, open, file = '' }: HighlightedCode,
  markedLine: number,
  column: number,
): SpanPart[][] {
  const options = { hasJsx: mayHaveJsx(file) };
  let reader = new CodeReader('', options);
  return lines.map((line, index) => {
    if (open !== undefined) reader = new CodeReader(open[index], options);
    let end = 0;
    return joinPieces(reader.readLine(line)).map(({ style, text }): SpanPart => {
      const isHit = index === markedLine && column > end && column <= end + text.length;
      end += text.length;
      const inner: SpanPart = style === '' ? text : [style, text];
      // If only the line is known, the column is its indentation.
      return isHit && text.trim() !== '' ? ['mark', [inner]] : inner;
    });
  });
}

const joined: ReadonlySet<string> = new Set(['cc', 'cs', 'ct']);

/** Joins the parts of a comment, a string or a tag. */
function joinPieces(pieces: readonly CodePiece[]): CodePiece[] {
  const found: CodePiece[] = [];
  for (const piece of pieces) {
    const last = found.at(-1);
    if (last !== undefined && last.style === piece.style && joined.has(piece.style))
      found[found.length - 1] = { style: piece.style, text: last.text + piece.text };
    else found.push(piece);
  }
  return found;
}

/** Whether a file may contain JSX; in TypeScript without JSX, `<T>` is a type assertion. */
export function mayHaveJsx(file: string): boolean {
  return /\.(?:[cm]?jsx?|tsx)$/i.test(file);
}
