const maxDepth = 6;
const maxParts = 200;
/** Marks omitted parts. */
const cut = '…';

/**
 * Formats an operation on documents as a statement with placeholders, `users.find({"age": ?})`, and its values. Large
 * operations are truncated.
 */
export function mongoStatement(
  target: string,
  documents: readonly unknown[],
): { readonly sql: string; readonly params: readonly unknown[] } {
  const params: unknown[] = [];
  let parts = 0;
  const writeAll = <Item>(items: Iterable<Item>, write: (item: Item) => string): string => {
    const written: string[] = [];
    for (const item of items) {
      if (++parts > maxParts) return [...written, cut].join(', ');
      written.push(write(item));
    }
    return written.join(', ');
  };
  const write = (value: unknown, depth: number): string => {
    if (depth < maxDepth && Array.isArray(value))
      return `[${writeAll<unknown>(value, (item) => write(item, depth + 1))}]`;
    if (depth < maxDepth && isPlain(value))
      return `{${writeAll(fieldsOf(value), ([name, field]) => `${JSON.stringify(name.slice(0, 100))}: ${write(field, depth + 1)}`)}}`;
    params.push(value);
    return '?';
  };
  const given = documents.filter((document) => document !== undefined);
  return { sql: `${target}(${writeAll(given, (document) => write(document, 0))})`, params };
}

/** Iterates over the own fields without running getters. */
function* fieldsOf(value: object): Iterable<readonly [name: string, value: unknown]> {
  for (const name of Object.keys(value)) {
    const field = Object.getOwnPropertyDescriptor(value, name);
    if (field !== undefined && 'value' in field && field.value !== undefined) yield [name, field.value];
  }
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
