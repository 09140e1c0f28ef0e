import type { JsonSchema } from './open-api-document.js';

/** Keywords whose value is data and no schema. */
const dataKeywords: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'example', 'examples']);
/** Keywords whose value has a schema for each name; the names are the application's. */
const mapKeywords: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
]);
const partForm = /^#\/(?:\$defs|definitions)\/([^/]+)/;

interface Targets {
  /** Names of the parts (`$defs`) as components. */
  readonly names: ReadonlyMap<string, string>;
  /** Name of the whole as a component. */
  readonly root: string;
  readonly prefix: string;
}

/** The schema with each reference into itself leading to a component. */
export function rewriteReferences(schema: JsonSchema, { names, root, prefix }: Targets): JsonSchema {
  const target = (reference: string): string => {
    const [name] = partNames(reference);
    if (name !== undefined) return reference.replace(partForm, () => prefix + (names.get(name) ?? name));
    return reference.startsWith('#') ? `${prefix}${root}${reference.slice(1)}` : reference;
  };
  return mapSchema(schema, target) as JsonSchema; // a schema stays one
}

/** Whether something in the schema refers to the whole of it. */
export function refersToRoot(schema: JsonSchema): boolean {
  return referencesOf(schema).some((reference) => reference.startsWith('#') && !partForm.test(reference));
}

/** Names of the parts that a schema refers to. */
export function referencedNames(schema: JsonSchema): string[] {
  return referencesOf(schema).flatMap(partNames);
}

/** The name of the part that a reference leads to, without the escapes of a JSON pointer in a URL (RFC 6901 section 6). */
function partNames(reference: string): string[] {
  const part = partForm.exec(reference)?.[1];
  return part === undefined ? [] : [decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')];
}

function referencesOf(schema: JsonSchema): string[] {
  const found: string[] = [];
  mapSchema(schema, (reference) => (found.push(reference), reference));
  return found;
}

function mapSchema(value: unknown, target: (reference: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => mapSchema(item, target));
  if (typeof value !== 'object' || value === null) return value;
  return mapEntries(value, (key, inner) => {
    if (key === '$ref' && typeof inner === 'string') return target(inner);
    if (dataKeywords.has(key)) return inner;
    if (!mapKeywords.has(key) || typeof inner !== 'object' || inner === null) return mapSchema(inner, target);
    return mapEntries(inner, (_name, schema) => mapSchema(schema, target));
  });
}

function mapEntries(record: object, map: (key: string, value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(key, value)]));
}
