const maxDepth = 6;
const maxValues = 50;

/** An operation on documents as a statement with placeholders, `users.find({"age": ?})`, and its values. */
export function mongoStatement(
  target: string,
  documents: readonly unknown[],
): { readonly sql: string; readonly params: readonly unknown[] } {
  const params: unknown[] = [];
  const write = (value: unknown, depth: number): string => {
    if (Array.isArray(value) && depth < maxDepth)
      return `[${value
        .slice(0, maxValues)
        .map((item) => write(item, depth + 1))
        .join(', ')}]`;
    if (!isPlain(value) || depth >= maxDepth || params.length >= maxValues) {
      params.push(value);
      return '?';
    }
    const fields = Object.entries(Object.getOwnPropertyDescriptors(value)).flatMap(([name, field]) =>
      'value' in field && field.value !== undefined
        ? [`${JSON.stringify(name.slice(0, 100))}: ${write(field.value, depth + 1)}`]
        : [],
    );
    return `{${fields.join(', ')}}`;
  };
  const given = documents.filter((document) => document !== undefined);
  return { sql: `${target}(${given.map((document) => write(document, 0)).join(', ')})`, params };
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
