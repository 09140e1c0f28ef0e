/** What an object of names that others choose has under a name: nothing that every object inherits. */
export function ownValue<Value>(of: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(of, name) ? of[name] : undefined;
}
