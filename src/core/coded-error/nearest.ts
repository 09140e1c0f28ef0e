/**
 * Returns at most three names similar to the given one, the nearest first. Skips names that differ by more than a
 * third.
 */
export function findNearest(wanted: string, names: readonly string[]): string[] {
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  return names
    .map((name) => ({ name, distance: editDistance(wanted, name, limit) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ name }) => name);
}

/**
 * Returns the edit distance between two texts: the number of insertions, deletions, substitutions and swaps of
 * neighbours. Returns `limit + 1` if it exceeds `limit`, or if the texts differ and one is longer than 128 characters.
 */
export function editDistance(from: string, to: string, limit: number): number {
  if (from === to) return 0;
  if (Math.abs(from.length - to.length) > limit || from.length > 128 || to.length > 128) return limit + 1;
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const changed = at(row, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const swaps = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = swaps ? at(before, j - 2) + 1 : Infinity;
      next.push(Math.min(changed, swapped, at(row, j) + 1, at(next, j - 1) + 1));
    }
    if (Math.min(...next) > limit) return limit + 1;
    [before, row] = [row, next];
  }
  return Math.min(at(row, to.length), limit + 1);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
