import { inflateRawSync } from 'node:zlib';

/** The texts in the rows of a store's tables: text as it is, compressed documents inflated, other bytes as one character each. */
export function textsOf(rows: readonly object[]): string[] {
  return rows.flatMap((row) =>
    Object.values(row).map((value: unknown) =>
      value instanceof Uint8Array
        ? inflated(value)
        : typeof value === 'string'
          ? value
          : JSON.stringify(value),
    ),
  );
}

/** The tokens of the records whose documents are among these texts: proves that the searched documents exist. */
export function tokensIn(texts: readonly string[]): Set<string> {
  return new Set(
    texts.flatMap((text) => [...text.matchAll(/"token":"(\w+)"/g)].map(([, token = '']) => token)),
  );
}

function inflated(bytes: Uint8Array): string {
  try {
    return inflateRawSync(bytes).toString();
  } catch {
    return Buffer.from(bytes).toString('latin1'); // it is not compressed
  }
}
