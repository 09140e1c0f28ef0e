import type { StandardSchema } from '#framework/controller';
import type { JsonSchema } from './open-api-document.js';

interface SchemaPlace {
  readonly direction: SchemaDirection;
  /** Name of the component if the schema refers to itself, and name of the schema in problems: `order.body`. */
  readonly name: string;
}

export interface SchemaBook {
  readonly components: Readonly<Record<string, JsonSchema>>;
  /** Returns the schema for the document, with references to components; `{}` if it cannot be described. */
  add(schema: StandardSchema, place: SchemaPlace): JsonSchema;
  /** Returns the schema itself, or the component it refers to. */
  resolve(schema: JsonSchema): JsonSchema;
}

interface BookOptions {
  readonly shared: Readonly<Record<string, JsonSchema>>;
  readonly jsonSchemaOf: JsonSchemaOf | undefined;
  readonly onProblem: (problem: string) => void;
}

const prefix = '#/components/schemas/';

export function createSchemaBook({ shared, jsonSchemaOf, onProblem }: BookOptions): SchemaBook {
  const components: Record<string, JsonSchema> = { ...shared };
  /** Component sources by name, including their references. */
  const origins = new Map(Object.keys(shared).map((name) => [name, '']));

  const nameFor = (wanted: string, origin: string, direction: SchemaDirection): string => {
    const plain = wanted.replaceAll(/[^\w.-]/g, '_');
    const suffix = direction === 'input' ? 'Input' : 'Output';
    for (let count = 0; ; count++) {
      const name = [plain, `${plain}${suffix}`][count] ?? `${plain}${suffix}${count}`;
      const known = origins.get(name);
      if (known === undefined) origins.set(name, origin);
      if (known === undefined || known === origin) return name;
    }
  };

  const place = (raw: JsonSchema, { direction, name }: SchemaPlace): JsonSchema => {
    const { $schema: _dialect, $defs, ...root } = raw;
    const parts = typeof $defs === 'object' && $defs !== null ? ($defs as Record<string, JsonSchema>) : {}; // by definition
    const isRecursive = referencesIn(raw).some((one) => one.startsWith('#') && !partForm.test(one));
    const rootName = isRecursive ? nameFor(name, JSON.stringify(raw), direction) : '';
    const names = new Map<string, string>();
    for (const part of Object.keys(parts)) {
      names.set(part, nameFor(part, originOf(part, parts) + rootName, direction));
    }
    const rewrite = (schema: JsonSchema): JsonSchema =>
      mapReferences(schema, (reference) => {
        const [part] = partNames(reference);
        if (part !== undefined) return reference.replace(partForm, () => prefix + (names.get(part) ?? part));
        return reference.startsWith('#') ? `${prefix}${rootName}${reference.slice(1)}` : reference;
      });
    for (const [part, schema] of Object.entries(parts)) {
      components[names.get(part) ?? part] ??= rewrite(schema);
    }
    if (!isRecursive) return rewrite(root);
    components[rootName] ??= rewrite(root);
    return { $ref: prefix + rootName };
  };

  return {
    components,
    add(schema, at) {
      try {
        const { direction } = at;
        const standard: StandardSchema['~standard'] & StandardJsonSchema = schema['~standard'];
        const { vendor, jsonSchema } = standard;
        const options = { target: dialect, libraryOptions: lenient[vendor] ?? {} };
        const raw = jsonSchemaOf?.(schema, direction) ?? jsonSchema?.[direction](options);
        if (raw !== undefined) return place(raw, at);
        onProblem(
          `${at.name}: this ${vendor} schema cannot be converted to JSON Schema. Pass jsonSchemaOf to openApi().`,
        );
      } catch (error) {
        onProblem(
          `${at.name}: ${error instanceof Error ? error.message : 'the conversion to JSON Schema failed.'}`,
        );
      }
      return {};
    },
    resolve(schema) {
      const { $ref } = schema;
      if (typeof $ref !== 'string' || !$ref.startsWith(prefix)) return schema;
      return components[$ref.slice(prefix.length)] ?? schema;
    },
  };
}

/** Two parts with the same name are equal if they and everything they refer to are equal. */
function originOf(name: string, parts: Readonly<Record<string, JsonSchema>>): string {
  const reached = new Set([name]);
  for (const one of reached)
    for (const next of referencesIn(parts[one] ?? {}).flatMap(partNames)) reached.add(next);
  return JSON.stringify([...reached].map((one) => [one, parts[one]]));
}

const partForm = /^#\/\$defs\/([^/]+)/;

/** Returns the name of the part that a reference points to, without JSON pointer escapes (RFC 6901 section 6). */
function partNames(reference: string): string[] {
  const part = partForm.exec(reference)?.[1];
  return part === undefined ? [] : [decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')];
}

function referencesIn(schema: JsonSchema): string[] {
  const found: string[] = [];
  mapReferences(schema, (reference) => (found.push(reference), reference));
  return found;
}

function mapReferences(schema: JsonSchema, target: (reference: string) => string): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === '$ref' && typeof value === 'string' ? target(value) : value,
  ) as JsonSchema; // an object, like the input
}

/** Whether a client sends or receives it: the two differ if the schema transforms values or has defaults. */
export type SchemaDirection = 'input' | 'output';

/** Returns the JSON Schema for a schema whose library cannot generate it; undefined for the built-in conversion. */
export type JsonSchemaOf = (schema: StandardSchema, direction: SchemaDirection) => JsonSchema | undefined;

const dialect = 'draft-2020-12';

/** The part of the Standard JSON Schema interface (standardschema.dev/json-schema) that is used here. */
interface StandardJsonSchema {
  readonly jsonSchema?: Readonly<Record<SchemaDirection, (options: object) => JsonSchema>>;
}

interface ArkBranch {
  readonly base: JsonSchema;
}

interface ZodNode {
  readonly zodSchema: { readonly _zod: { readonly def: { readonly type: string } } };
  readonly jsonSchema: Record<string, unknown>;
}

/** Describes dates as text, because `JSON.stringify` writes them as text. */
const zodOptions = {
  unrepresentable: 'any',
  override: ({ zodSchema, jsonSchema }: ZodNode): void => {
    if (zodSchema._zod.def.type === 'date')
      Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
  },
};

/** Describes parts that JSON Schema cannot express (a predicate, a symbol) as any value: the document must not fail. */
const lenient: Readonly<Record<string, object>> = {
  zod: zodOptions,
  arktype: { fallback: ({ base }: ArkBranch) => base },
};
