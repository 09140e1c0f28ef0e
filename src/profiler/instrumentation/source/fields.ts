import { types } from 'node:util';

/** Reads a foreign object's field; undefined if it is missing or throws. */
export function fieldOf(value: unknown, name: string): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  try {
    return Reflect.get(value, name);
  } catch {
    return undefined;
  }
}

export function deepField(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce(fieldOf, value);
}

/** Reads a text field; empty if it is not a text. */
export function textField(value: unknown, name: string): string {
  const text = fieldOf(value, name);
  return typeof text === 'string' ? text : '';
}

/** Reads a list field; empty if it is not a list. */
export function listField(value: unknown, name: string): readonly unknown[] {
  const list = fieldOf(value, name);
  return Array.isArray(list) ? list : [];
}

/** Calls a method on a foreign object; undefined if it has none. */
export function callMethod(target: unknown, name: string, ...args: readonly unknown[]): unknown {
  const method = fieldOf(target, name);
  return typeof method === 'function' ? Reflect.apply(method, target, args) : undefined;
}

/** Maximum number of fields to read. Higher than a dump's limit, so that the dump can count the omitted ones. */
const maxFields = 150;

/** Returns a foreign object's data fields without running getters or proxy traps; undefined for lists, proxies and primitives. */
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
