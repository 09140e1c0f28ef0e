import type { StandardSchema } from '#controller';
import type { JsonSchema } from './open-api-document.js';

/** What a client sends (`input`), or what it gets (`output`): they differ where a schema transforms or has defaults. */
export type SchemaDirection = 'input' | 'output';

/** Returns the JSON Schema of a schema whose library cannot; undefined leaves it to the built-in conversion. */
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

/** JSON.stringify writes a date as text. */
const zodOptions = {
  unrepresentable: 'any',
  override: ({ zodSchema, jsonSchema }: ZodNode): void => {
    if (zodSchema._zod.def.type === 'date')
      Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
  },
};

/** What has no place in JSON Schema (a predicate, a symbol) is described as any value, and does not fail the document. */
const lenient: Readonly<Record<string, object>> = {
  zod: zodOptions,
  arktype: { fallback: ({ base }: ArkBranch) => base },
};

/**
 * The JSON Schema of a Standard Schema: by the application's own function, by the schema's own `~standard.jsonSchema`,
 * or by its library's converter, which the application has to have. Undefined where none of them can.
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

/** Zod 4 before 4.2 has the converter, and not yet the interface. */
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
    return (await import(name)) as Converters; // a package of the application's; a missing function is checked for
  } catch {
    return undefined;
  }
}
