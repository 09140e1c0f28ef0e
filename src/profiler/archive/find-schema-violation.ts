import type { Schema } from '../api/record-json-schema.js';

/** Levels of nested values. A record that is written here has far fewer; whoever walks one has a call for each. */
const maxDepth = 500;

interface Place {
  readonly path: string;
  readonly root: Schema;
}

/**
 * The first way in which data is not what a JSON Schema says, as `request.headers[2]: must be a string`; undefined where it
 * fits. Reads the keywords that the record's schema uses; fields that it does not name are let pass, as a newer version may
 * have more.
 */
export function findMisfit(value: unknown, schema: Schema): string | undefined {
  if (isDeeper(value, maxDepth)) return `it is nested deeper than ${maxDepth} levels`;
  return misfitAt(value, schema, { path: '', root: schema });
}

/** Level by level: it is what protects the walks that call themselves. */
function isDeeper(value: unknown, levels: number): boolean {
  let inside: unknown[] = [value];
  for (let depth = 0; inside.length > 0; depth++) {
    if (depth > levels) return true;
    inside = inside.flatMap((one): unknown[] =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    );
  }
  return false;
}

function misfitAt(value: unknown, schema: Schema, at: Place): string | undefined {
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const found = (at.root['$defs'] as Readonly<Record<string, Schema>>)[reference.replace('#/$defs/', '')]; // of our own schema
    return found === undefined ? undefined : misfitAt(value, found, at);
  }
  const options = schema['anyOf'] as readonly Schema[] | undefined; // as JSON Schema has it
  if (options !== undefined) {
    const misfits = options.map((option) => misfitAt(value, option, at));
    return misfits.includes(undefined) ? undefined : misfits[0];
  }
  return misfitOfOne(value, schema, at.path) ?? misfitInside(value, schema, at);
}

/** Of the value itself. */
function misfitOfOne(value: unknown, schema: Schema, path: string): string | undefined {
  const { pattern, minimum } = schema;
  const types = [(schema['type'] ?? []) as string | readonly string[]].flat(); // as JSON Schema has it
  const choice = 'const' in schema ? [schema['const']] : (schema['enum'] as readonly unknown[] | undefined); // as above
  const fail = (must: string): string => `${path === '' ? 'it' : path} ${must}`;
  if (types.length > 0 && !types.some((one) => isOf(value, one)))
    return fail(`must be of type ${types.join(' or ')}`);
  if (choice !== undefined && !choice.includes(value)) return fail(`must be ${choice.join(' or ')}`);
  if (typeof value === 'number' && typeof minimum === 'number' && value < minimum)
    return fail(`must be at least ${minimum}`);
  if (typeof value === 'string' && typeof pattern === 'string' && !new RegExp(pattern).test(value))
    return fail(`must match ${pattern}`);
  return undefined;
}

/** Of its members. */
function misfitInside(value: unknown, schema: Schema, { path, root }: Place): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const inner = (member: unknown, of: Schema, name: string | number): string | undefined =>
    misfitAt(member, of, {
      root,
      path: typeof name === 'number' ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`,
    });
  if (Array.isArray(value)) return misfitOfItems(value, schema, inner);
  const members = new Map<string, unknown>(Object.entries(value));
  const required = (schema['required'] ?? []) as readonly string[]; // as above
  for (const name of required)
    if (!members.has(name)) return `${path === '' ? 'it' : path} must have the field "${name}"`;
  const named = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>; // as above
  const others = schema['additionalProperties'];
  for (const [name, member] of members) {
    const known = Object.hasOwn(named, name) ? named[name] : undefined;
    const of = known ?? (typeof others === 'object' ? (others as Schema) : undefined); // as above
    const misfit = of === undefined ? undefined : inner(member, of, name);
    if (misfit !== undefined) return misfit;
  }
  return undefined;
}

function misfitOfItems(
  items: readonly unknown[],
  schema: Schema,
  inner: (member: unknown, of: Schema, name: number) => string | undefined,
): string | undefined {
  const first = (schema['prefixItems'] ?? []) as readonly Schema[]; // as above
  const rest = schema['items'];
  for (const [place, item] of items.entries()) {
    const of = first[place] ?? (typeof rest === 'object' ? (rest as Schema) : undefined); // as above
    const misfit = of === undefined ? undefined : inner(item, of, place);
    if (misfit !== undefined) return misfit;
  }
  // A pair that is too short has a member of no type.
  return items.length < first.length ? inner(undefined, first[items.length] ?? {}, items.length) : undefined;
}

function isOf(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type && (type !== 'number' || Number.isFinite(value));
}
