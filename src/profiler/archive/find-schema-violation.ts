import type { Schema } from '../model/shape.js';

/** Maximum depth of nested values. Our own records are far less deep; code that walks a record recurses once per level. */
const maxDepth = 500;

interface Place {
  readonly path: string;
  readonly root: Schema;
}

/**
 * Returns the first violation of a JSON Schema, such as `request.headers[2] must be of type string`; undefined if the data
 * conforms. Supports only the keywords that our schemas use. Unknown fields are accepted, since a newer version may add
 * some.
 */
export function findSchemaViolation(value: unknown, schema: Schema): string | undefined {
  if (isDeeper(value, maxDepth)) return `it is nested deeper than ${maxDepth} levels`;
  return violationAt(value, schema, { path: '', root: schema });
}

/** Returns whether a value is nested deeper than `levels`. Iterative, because it protects the recursive functions. */
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

function violationAt(value: unknown, schema: Schema, at: Place): string | undefined {
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const found = (at.root['$defs'] as Readonly<Record<string, Schema>>)[reference.replace('#/$defs/', '')]; // our own schemas have `$defs` of this type
    return found === undefined ? undefined : violationAt(value, found, at);
  }
  const options = schema['anyOf'] as readonly Schema[] | undefined; // as JSON Schema defines it
  if (options !== undefined) {
    const violations = options.map((option) => violationAt(value, option, at));
    return violations.includes(undefined) ? undefined : violations[0];
  }
  return violationOfValue(value, schema, at.path) ?? violationInside(value, schema, at);
}

/** Checks the value itself, without its members. */
function violationOfValue(value: unknown, schema: Schema, path: string): string | undefined {
  const { pattern, minimum } = schema;
  const types = [(schema['type'] ?? []) as string | readonly string[]].flat(); // as JSON Schema defines it
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

/** Checks the members of a value. */
function violationInside(value: unknown, schema: Schema, { path, root }: Place): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const inner = (member: unknown, of: Schema, name: string | number): string | undefined =>
    violationAt(member, of, {
      root,
      path: typeof name === 'number' ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`,
    });
  if (Array.isArray(value)) return violationInItems(value, schema, inner);
  const members = new Map<string, unknown>(Object.entries(value));
  const required = (schema['required'] ?? []) as readonly string[]; // as above
  for (const name of required)
    if (!members.has(name)) return `${path === '' ? 'it' : path} must have the field "${name}"`;
  const named = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>; // as above
  const others = schema['additionalProperties'];
  for (const [name, member] of members) {
    const known = Object.hasOwn(named, name) ? named[name] : undefined;
    const of = known ?? (typeof others === 'object' ? (others as Schema) : undefined); // as above
    const violation = of === undefined ? undefined : inner(member, of, name);
    if (violation !== undefined) return violation;
  }
  return undefined;
}

function violationInItems(
  items: readonly unknown[],
  schema: Schema,
  inner: (member: unknown, of: Schema, name: number) => string | undefined,
): string | undefined {
  const first = (schema['prefixItems'] ?? []) as readonly Schema[]; // as above
  const rest = schema['items'];
  for (const [place, item] of items.entries()) {
    const of = first[place] ?? (typeof rest === 'object' ? (rest as Schema) : undefined); // as above
    const violation = of === undefined ? undefined : inner(item, of, place);
    if (violation !== undefined) return violation;
  }
  // If a tuple is too short, its first missing item is reported as a value of the wrong type.
  return items.length < first.length ? inner(undefined, first[items.length] ?? {}, items.length) : undefined;
}

function isOf(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type && (type !== 'number' || Number.isFinite(value));
}
