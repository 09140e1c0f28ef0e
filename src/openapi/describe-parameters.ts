import type { SchemaBook } from './create-schema-book.js';
import { type DescribedRoute, variableSchema } from './described-route.js';
import type { JsonSchema, OpenApiParameter } from './open-api-document.js';

/** Headers that OpenAPI describes elsewhere. */
const ownHeaders: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);

/**
 * Describes the parameters in path, query and headers from the schemas; those of the path otherwise from their
 * requirements.
 */
export function describeParameters(
  described: DescribedRoute,
  book: SchemaBook,
  onProblem: (problem: string) => void,
): readonly OpenApiParameter[] {
  const { route, template, schemas, id } = described;
  const list = (part: 'params' | 'query' | 'headers'): readonly NamedSchema[] => {
    const schema = schemas?.[part];
    if (schema === undefined) return [];
    const name = `${id}.${part}`;
    const fields = schemaFields(book.resolve(book.add(schema, { direction: 'input', name })), book);
    if (fields === undefined) onProblem(`${name}: it is no object with properties, and is left out.`);
    return fields ?? [];
  };
  const inPath = new Map(list('params').map((field) => [field.name, field.schema]));
  const query = list('query');
  const headers = list('headers').filter(({ name }) => !ownHeaders.has(name));
  return [
    ...template.variables.map((name, index) => ({
      name: template.shown[index] ?? name,
      in: 'path' as const,
      required: true,
      schema: inPath.get(name) ?? variableSchema(route, name),
    })),
    ...query.map((field) => queryParameter(field, book)),
    ...headers.map(({ name, schema, required }) => ({ name, in: 'header' as const, required, schema })),
  ];
}

interface NamedSchema {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/**
 * Returns the properties of an object, and of all parts of an intersection; undefined if the schema is not an object.
 */
function schemaFields(schema: JsonSchema, book: SchemaBook): readonly NamedSchema[] | undefined {
  const { properties, required, allOf } = schema;
  const parts = Array.isArray(allOf) ? (allOf as JsonSchema[]) : []; // a keyword of JSON Schema
  const inner = parts.flatMap((part) => schemaFields(book.resolve(part), book) ?? []);
  if (typeof properties !== 'object' || properties === null) return inner.length > 0 ? inner : undefined;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const own = Object.entries(properties as Readonly<Record<string, JsonSchema>>); // a keyword of JSON Schema
  return [...inner, ...own.map(([name, one]) => ({ name, schema: one, required: needed.includes(name) }))];
}

/** Describes a query parameter: objects are sent as `a[b]=1`, lists as `a=1&a=2`, and an empty list as nothing. */
function queryParameter({ name, schema, required }: NamedSchema, book: SchemaBook): OpenApiParameter {
  const { type, minItems = 0 } = book.resolve(schema);
  return {
    name,
    in: 'query',
    required: required && !(type === 'array' && minItems === 0),
    ...(type === 'object' ? { style: 'deepObject', explode: true } : {}),
    schema,
  };
}
