/** Returns an own property of an object with foreign keys, never an inherited one such as `constructor`. */
export function ownValue<Value>(of: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(of, name) ? of[name] : undefined;
}
