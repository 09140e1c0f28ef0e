import type { StandardSchema } from '#controller';
import type { JsonSchema } from './open-api-document.js';

/**
 * Whether a schema describes what a client sends (`input`) or receives (`output`). They differ if the schema transforms
 * values or has defaults.
 */
export type SchemaDirection = 'input' | 'output';

/** Returns the JSON Schema of a schema whose library cannot; undefined for the built-in conversion. */
export type JsonSchemaOf = (schema: StandardSchema, direction: SchemaDirection) => JsonSchema | undefined;

const dialect = 'draft-2020-12';

/** The part of the Standard JSON Schema interface (standardschema.dev/json-schema) that is used here. */
interface StandardJsonSchema {
  readonly input: (options: object) => JsonSchema;
  readonly output: (options: object) => JsonSchema;
}

interface ArkBranch {
  readonly base: JsonSchema;
}

interface ZodNode {
  readonly zodSchema: { readonly _zod: { readonly def: { readonly type: string } } };
  readonly jsonSchema: Record<string, unknown>;
}

/** Describes a date as text, because `JSON.stringify` writes it as text. */
const zodOptions = {
  unrepresentable: 'any',
  override: ({ zodSchema, jsonSchema }: ZodNode): void => {
    if (zodSchema._zod.def.type === 'date')
      Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
  },
};

/**
 * Values that JSON Schema cannot express (a predicate, a symbol) are described as any value, so that the document does
 * not fail.
 */
const lenient: Readonly<Record<string, object>> = {
  zod: zodOptions,
  arktype: { fallback: ({ base }: ArkBranch) => base },
};

/**
 * Returns the JSON Schema of a Standard Schema: from the application's own function, from the schema's
 * `~standard.jsonSchema`, or from its library's converter, which the application has to install. Returns undefined if
 * none of them can.
 */
export async function describeSchema(
  schema: StandardSchema,
  direction: SchemaDirection,
  jsonSchemaOf?: JsonSchemaOf,
): Promise<JsonSchema | undefined> {
  const own = jsonSchemaOf?.(schema, direction);
  if (own !== undefined) return own;
  const standard: object = schema['~standard'];
  const { vendor } = schema['~standard'];
  if ('jsonSchema' in standard && isStandardJsonSchema(standard.jsonSchema)) {
    return standard.jsonSchema[direction]({ target: dialect, libraryOptions: lenient[vendor] ?? {} });
  }
  if (vendor === 'valibot') return describeValibot(schema, direction);
  return vendor === 'zod' ? describeZod(schema, direction) : undefined;
}

function isStandardJsonSchema(value: unknown): value is StandardJsonSchema {
  return typeof value === 'object' && value !== null && 'input' in value && 'output' in value;
}

async function describeValibot(
  schema: StandardSchema,
  direction: SchemaDirection,
): Promise<JsonSchema | undefined> {
  const library = await loadConverter('@valibot/to-json-schema');
  return library?.['toJsonSchema']?.(schema, { target: dialect, typeMode: direction, errorMode: 'ignore' });
}

/** Zod 4 before 4.2 has the converter, but not the interface. */
async function describeZod(
  schema: StandardSchema,
  direction: SchemaDirection,
): Promise<JsonSchema | undefined> {
  const library = await loadConverter('zod');
  return library?.['toJSONSchema']?.(schema, { ...zodOptions, target: dialect, io: direction });
}

type Converters = Readonly<Record<string, ((schema: object, options: object) => JsonSchema) | undefined>>;

async function loadConverter(name: string): Promise<Converters | undefined> {
  try {
    return (await import(name)) as Converters; // a package of the application; missing functions are checked for
  } catch {
    return undefined;
  }
}
