/** An empty null-prototype object, shared by routes. */
export const emptyRecord: Readonly<Record<string, never>> = Object.freeze(
  Object.create(null) as Record<string, never>, // as: a new null-prototype object
);

/** Creates a frozen null-prototype object, in which no key has a special meaning. */
export function createRecord<Value>(
  entries: readonly (readonly [string, Value])[],
): Readonly<Record<string, Value>> {
  if (entries.length === 0) return emptyRecord;
  const result = Object.create(null) as Record<string, Value>; // as: a new null-prototype object
  for (const [key, value] of entries) result[key] = value;
  return Object.freeze(result);
}
