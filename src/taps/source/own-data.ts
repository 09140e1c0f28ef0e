import { types } from 'node:util';

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
