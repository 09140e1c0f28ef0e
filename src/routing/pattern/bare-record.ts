/** An object without prototype and keys. Routes share it. */
export const emptyRecord: Readonly<Record<string, never>> = Object.freeze(
  Object.create(null) as Record<string, never>, // as: a bare object
);

/** An object without prototype, so that every key is just a key. */
export function createRecord<Value>(
  entries: readonly (readonly [string, Value])[],
): Readonly<Record<string, Value>> {
  if (entries.length === 0) return emptyRecord;
  const result = Object.create(null) as Record<string, Value>; // as: a bare object
  for (const [key, value] of entries) result[key] = value;
  return Object.freeze(result);
}
