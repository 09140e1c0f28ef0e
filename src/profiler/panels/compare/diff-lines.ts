/** A line, and which of the two lists contains it. */
export interface DiffLine {
  readonly text: string;
  readonly side: 'both' | 'first' | 'second';
}

/** Maximum lines that are compared in order; longer lists are compared as sets. */
const maxLines = 400;

/** Merges two lists of lines by their longest common subsequence; lines of one list only are at their position. */
export function diffLines(first: readonly string[], second: readonly string[]): readonly DiffLine[] {
  if (first.length > maxLines || second.length > maxLines) return diffSets(first, second);
  const lengths = commonLengths(first, second);
  const lines: DiffLine[] = [];
  let [a, b] = [0, 0];
  while (a < first.length || b < second.length) {
    const [left, right] = [first[a], second[b]];
    if (left !== undefined && left === right) {
      lines.push({ text: left, side: 'both' });
      a++;
      b++;
    } else if (
      left !== undefined &&
      (right === undefined || at(lengths, a + 1, b) >= at(lengths, a, b + 1))
    ) {
      lines.push({ text: left, side: 'first' });
      a++;
    } else if (right !== undefined) {
      lines.push({ text: right, side: 'second' });
      b++;
    }
  }
  return lines;
}

/** Returns, for each pair of indexes, the length of the longest common subsequence of the remaining lines. */
function commonLengths(first: readonly string[], second: readonly string[]): readonly Uint16Array[] {
  const lengths = Array.from({ length: first.length + 1 }, () => new Uint16Array(second.length + 1));
  for (let a = first.length - 1; a >= 0; a--) {
    const row = lengths[a];
    if (row === undefined) continue;
    for (let b = second.length - 1; b >= 0; b--)
      row[b] =
        first[a] === second[b]
          ? at(lengths, a + 1, b + 1) + 1
          : Math.max(at(lengths, a + 1, b), at(lengths, a, b + 1));
  }
  return lengths;
}

function at(lengths: readonly Uint16Array[], a: number, b: number): number {
  return lengths[a]?.[b] ?? 0;
}

function diffSets(first: readonly string[], second: readonly string[]): readonly DiffLine[] {
  const [left, right] = [new Set(first), new Set(second)];
  return [
    ...first.map((text): DiffLine => ({ text, side: right.has(text) ? 'both' : 'first' })),
    ...second.filter((text) => !left.has(text)).map((text): DiffLine => ({ text, side: 'second' })),
  ];
}
