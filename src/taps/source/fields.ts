import { types } from 'node:util';

/** A field of a foreign object; undefined where there is none, or where it cannot be read. */
export function fieldOf(value: unknown, name: string): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  try {
    return Reflect.get(value, name);
  } catch {
    return undefined;
  }
}

/** The same of a field of a field, and so on. */
export function deepField(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce(fieldOf, value);
}

/** A field that is a text; empty where it is none. */
export function textField(value: unknown, name: string): string {
  const text = fieldOf(value, name);
  return typeof text === 'string' ? text : '';
}

/** A field that is a list; empty where it is none. */
export function listField(value: unknown, name: string): readonly unknown[] {
  const list = fieldOf(value, name);
  return Array.isArray(list) ? list : [];
}

/** Calls a method of a foreign object; undefined where it has none. */
export function callMethod(target: unknown, name: string, ...args: readonly unknown[]): unknown {
  const method = fieldOf(target, name);
  return typeof method === 'function' ? Reflect.apply(method, target, args) : undefined;
}

/** More than a picture shows, which says how many it leaves out. */
const maxFields = 150;

/** The fields of a foreign object as they are, without running a getter or a trap; undefined where it is no object with fields. */
export function ownData(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || types.isProxy(value))
    return undefined;
  const data: Record<string, unknown> = Object.create(null) as Record<string, unknown>; // foreign keys
  for (const name of Object.keys(value).slice(0, maxFields)) {
    const field = Object.getOwnPropertyDescriptor(value, name);
    if (field !== undefined && 'value' in field) data[name] = field.value;
  }
  return data;
}
