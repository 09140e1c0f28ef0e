import { isClass, type RouteOperation } from '#framework/controller';
import { statusText } from '#core/errors';
import { HttpRequest, isBodiless, requestRoute } from '#core/http';
import type { RouteAccess } from '#framework/security';
import type { SchemaBook } from './create-schema-book.js';
import { type DescribedRoute, variableSchema } from './described-route.js';
import type { JsonSchema, OpenApiOperation, OpenApiParameter, OpenApiResponse } from './open-api-document.js';

interface OperationParts {
  readonly book: SchemaBook;
  readonly accessOf: ((request: HttpRequest, controller: unknown) => RouteAccess) | undefined;
  readonly onProblem: (problem: string) => void;
  /** Responses shared by several operations; the used ones are added. */
  readonly responses: Record<string, OpenApiResponse>;
  readonly securitySchemes: Record<string, unknown>;
}

export function describeOperation(described: DescribedRoute, parts: OperationParts): OpenApiOperation {
  const { operation, id, controller } = described;
  const access = parts.accessOf?.(sampleRequest(described), controller);
  const parameters = describeParameters(described, parts.book, parts.onProblem);
  const body = describeBody(described, parts.book);
  const tags = operation.tags ?? classTag(controller);
  const description = describeText(operation.description, access);
  const errors = errorStatuses(described, access, body);
  return {
    operationId: id,
    ...(operation.summary === undefined ? {} : { summary: operation.summary }),
    ...(description === '' ? {} : { description }),
    ...(tags === undefined ? {} : { tags }),
    ...(operation.deprecated === true ? { deprecated: true } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: {
      ...successResponse(described, parts.book),
      ...sharedErrors(errors, parts),
      ...declaredResponses(operation),
    },
    ...describeSecurity(access, parts.securitySchemes),
  };
}

function successResponse(
  { schemas, operation, id, method }: DescribedRoute,
  book: SchemaBook,
): Record<string, OpenApiResponse> {
  const status = schemas?.status ?? 200;
  const description = operation.responseDescription ?? statusText(status);
  if (schemas?.response === undefined || isBodiless(method, status)) return { [status]: { description } };
  const schema = book.add(schemas.response, { direction: 'output', name: `${id}.response` });
  return { [status]: { description, content: { 'application/json': { schema } } } };
}

/** Returns the error statuses that the framework itself sends. */
function errorStatuses(
  { template, schemas }: DescribedRoute,
  access: RouteAccess | undefined,
  body: OpenApiOperation['requestBody'],
): number[] {
  const hasBody = body !== undefined;
  const isChecked = [schemas?.query, schemas?.headers, schemas?.body].some((schema) => schema !== undefined);
  return [
    ...(hasBody ? [400] : []),
    ...(access?.isRequired === true ? [401, 403] : []),
    ...(template.variables.length > 0 ? [404] : []),
    ...(hasBody ? [413, 415] : []),
    ...(isChecked ? [422] : []),
  ];
}

function sharedErrors(
  statuses: readonly number[],
  { responses }: OperationParts,
): Record<string, OpenApiResponse> {
  const answers: Record<string, OpenApiResponse> = {};
  for (const status of [...statuses, 'default'] as const) {
    const name = status === 'default' ? 'Problem' : statusText(status).replaceAll(/[^A-Za-z]/g, '');
    responses[name] ??= problemResponse(status === 'default' ? 'Any other error.' : statusText(status));
    answers[status] = { $ref: `#/components/responses/${name}` };
  }
  return answers;
}

function declaredResponses({ responses = {} }: RouteOperation): Record<string, OpenApiResponse> {
  return Object.fromEntries(
    Object.entries(responses).map(([status, text]) => [
      status,
      Number(status) < 400 ? { description: text } : problemResponse(text),
    ]),
  );
}

function describeText(text: string | undefined, access: RouteAccess | undefined): string {
  const required = access?.attributes.map((name) => `\`${name.replaceAll('`', '')}\``).join(', ') ?? '';
  return [text ?? '', required === '' ? '' : `Requires ${required}.`]
    .filter((part) => part !== '')
    .join('\n\n');
}

function describeSecurity(
  access: RouteAccess | undefined,
  securitySchemes: Record<string, unknown>,
): Pick<OpenApiOperation, 'security'> {
  if (access?.isRequired !== true || access.schemes.size === 0) return {};
  for (const [name, scheme] of access.schemes) securitySchemes[name] ??= scheme;
  return { security: [...access.schemes.keys()].map((name) => ({ [name]: [] })) };
}

function classTag(controller: unknown): readonly string[] | undefined {
  const owner: unknown = Array.isArray(controller) ? controller[0] : controller;
  return isClass(owner) ? [owner.name.replace(/Controller$/, '')] : undefined;
}

/** Creates a request to the route with placeholder variables, for which firewalls and rules are evaluated. */
function sampleRequest({ route, template, method }: DescribedRoute): HttpRequest {
  const request = new HttpRequest({
    method,
    target: template.path.replaceAll(/[{}]/g, ''),
    rawHeaders: ['Host', (route.host ?? 'localhost').replaceAll(/[{}]/g, '')],
    httpVersion: '1.1',
    peer: { address: '127.0.0.1', port: 0, encrypted: true },
  });
  request.scope.set(requestRoute, { name: route.name, path: route.path, parameters: route.defaults });
  return request;
}

const readTypes = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];

function describeBody({ schemas, id }: DescribedRoute, book: SchemaBook): OpenApiOperation['requestBody'] {
  if (schemas?.body === undefined) return undefined;
  const schema = book.add(schemas.body, { direction: 'input', name: `${id}.body` });
  return { required: true, content: Object.fromEntries(readTypes.map((type) => [type, { schema }])) };
}

/** Headers that OpenAPI describes elsewhere. */
const ownHeaders: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);

/** Describes path, query and header parameters by their schemas; path parameters without one by their requirements. */
function describeParameters(
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
    if (fields === undefined) onProblem(`${name} is not an object with properties, and is omitted.`);
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

/** Returns an object's properties, or those of all parts in an intersection; undefined for any other schema. */
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

/** Schemas for every error's body: a problem document (RFC 9457) with its violations. */
export const problemSchemas: Readonly<Record<'Problem' | 'Violation', JsonSchema>> = {
  Problem: {
    type: 'object',
    description: 'A problem document (RFC 9457) that describes the error.',
    required: ['type', 'title', 'status'],
    properties: {
      type: { type: 'string', format: 'uri-reference' },
      title: { type: 'string', description: 'The reason phrase for the status.' },
      status: { type: 'integer', minimum: 400, maximum: 599 },
      detail: {
        type: 'string',
        description: 'A human-readable description of what went wrong in this request.',
      },
      code: { type: 'string', description: 'A machine-readable reason for a failed login.' },
      violations: { type: 'array', items: { $ref: '#/components/schemas/Violation' } },
    },
  },
  Violation: {
    type: 'object',
    description: 'One problem with the request.',
    required: ['path', 'message', 'code'],
    properties: {
      path: {
        type: 'string',
        description: 'The location, such as `items[0].price`; empty for the whole input.',
      },
      message: { type: 'string' },
      code: { type: 'string', description: 'The machine-readable name of the violated rule.' },
      in: { type: 'string', enum: ['path', 'query', 'header', 'body'] },
    },
  },
};

function problemResponse(description: string): OpenApiResponse {
  const schema = { $ref: '#/components/schemas/Problem' };
  return { description, content: { 'application/problem+json': { schema } } };
}
