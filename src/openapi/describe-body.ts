import type { ArgumentSource } from '#controller';
import type { SchemaBook } from './create-schema-book.js';
import { argumentSchema } from './describe-parameters.js';
import type { DescribedRoute } from './described-route.js';
import type { JsonSchema, OpenApiContent, OpenApiOperation } from './open-api-document.js';

const readTypes = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];

/** What the route takes as body: by its schema, else by what its arguments read. */
export async function describeBody(
  { schemas, resolvers, id }: DescribedRoute,
  book: SchemaBook,
): Promise<OpenApiOperation['requestBody']> {
  const place = { direction: 'input', name: `${id}.body` } as const;
  if (schemas?.body !== undefined) {
    return { required: true, content: contentOf(readTypes, await book.add(schemas.body, place)) };
  }
  const sources = resolvers.flatMap(({ source }) => source ?? []);
  const body = sources.find((source) => source.in === 'body');
  const fields = sources.filter((source) => source.in === 'form');
  if (fields.length > 0) {
    return { required: true, content: contentOf(['multipart/form-data'], formSchema(fields)) };
  }
  if (body === undefined) return undefined;
  const schema = body.schema === undefined ? {} : await book.add(body.schema, place);
  return { required: true, content: contentOf(body.mediaTypes ?? readTypes, schema) };
}

function contentOf(types: readonly string[], schema: JsonSchema): OpenApiContent {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

function formSchema(fields: readonly ArgumentSource[]): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name ?? '', argumentSchema(field)])),
    required: fields.filter((field) => field.isRequired === true).map((field) => field.name),
  };
}
