import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { type RouteOperation, withSchemas } from '#framework/controller';
import { createRoutes } from '#core/routing';
import type { RouteAccess } from '#framework/security';
import { describeOperation } from './describe-operation.js';
import type { OpenApiOperation } from './open-api-document.js';
import { createOpenApiDocument } from './open-api.js';

type Schemas = Parameters<typeof withSchemas>[0];

const info = { title: 'Shop', version: '1' };

/** The operation for a route with these schemas. */
async function operationOf(
  schemas: Schemas,
  {
    path = '/items',
    method = 'GET',
    operation = {},
  }: { path?: string; method?: string; operation?: RouteOperation } = {},
): Promise<{ readonly described: OpenApiOperation; readonly problems: readonly string[] }> {
  const controller = withSchemas(schemas, () => 'x');
  const routes = createRoutes([{ name: 'items', path, methods: method, target: { controller, operation } }]);
  const { document, problems } = await createOpenApiDocument(routes, { info });
  const [methods = {}] = Object.values(document.paths);
  const [described] = Object.values(methods) as OpenApiOperation[]; // its only method
  assert.ok(described !== undefined);
  return { described, problems };
}

const statusesOf = async (...args: Parameters<typeof operationOf>): Promise<readonly string[]> =>
  Object.keys((await operationOf(...args)).described.responses);

describe('an operation', () => {
  it('has the declared metadata, and nothing else', async () => {
    const operation = {
      summary: 'Lists items',
      description: 'All of *them*.',
      tags: ['shop'],
      deprecated: true,
      operationId: 'listItems',
      responseDescription: 'The items',
      responses: { 202: 'Later', 409: 'Taken' },
    };
    const { described } = await operationOf({}, { operation });
    assert.deepEqual(described, {
      operationId: 'listItems',
      summary: 'Lists items',
      description: 'All of *them*.',
      tags: ['shop'],
      deprecated: true,
      responses: {
        200: { description: 'The items' },
        202: { description: 'Later' },
        409: {
          description: 'Taken',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
        default: { $ref: '#/components/responses/Problem' },
      },
    });
    const bare = await operationOf({}, { operation: { deprecated: false } });
    assert.deepEqual(Object.keys(bare.described), ['operationId', 'responses']);
    assert.deepEqual(
      (await operationOf({}, { operation: { responses: { 399: 'a', 400: 'b' } } })).described.responses[
        '399'
      ],
      { description: 'a' },
    );
  });

  it('has the errors that the framework responds with: for a body, for variables, for checked input', async () => {
    const query = z.object({ page: z.string() });
    assert.deepEqual(await statusesOf({}), ['200', 'default']);
    assert.deepEqual(await statusesOf({}, { path: '/items/{id}' }), ['200', '404', 'default']);
    assert.deepEqual(await statusesOf({ query }), ['200', '422', 'default']);
    assert.deepEqual(await statusesOf({ headers: query }), ['200', '422', 'default']);
    assert.deepEqual(await statusesOf({ body: z.object({}) }, { method: 'POST' }), [
      '200',
      '400',
      '413',
      '415',
      '422',
      'default',
    ]);
    assert.deepEqual(await statusesOf({ params: z.object({ id: z.string() }) }, { path: '/items/{id}' }), [
      '200',
      '404',
      'default',
    ]);
  });

  it('accepts its body in every supported format, and sends its response as JSON, except for HEAD', async () => {
    const { described } = await operationOf(
      { body: z.object({ a: z.string() }), response: z.object({ b: z.string() }), status: 201 },
      { method: 'POST' },
    );
    const { requestBody } = described as { requestBody: { required: boolean; content: object } };
    assert.equal(requestBody.required, true);
    assert.deepEqual(Object.keys(requestBody.content), [
      'application/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
    ]);
    const { description, content = {} } = described.responses['201'] as {
      description: string;
      content?: object;
    };
    assert.deepEqual([description, Object.keys(content)], ['Created', ['application/json']]);
    const head = await operationOf({ response: z.object({ b: z.string() }) }, { method: 'HEAD' });
    assert.deepEqual(head.described.responses['200'], { description: 'OK' });
  });

  it('has parameters from path, query and headers, which are required if their schemas say so', async () => {
    const { described } = await operationOf(
      {
        params: z.object({ id: z.uuid() }),
        query: z.intersection(
          z.object({ page: z.string(), sort: z.string().optional() }),
          z.object({
            tags: z.array(z.string()),
            some: z.array(z.string()).min(1),
            filter: z.object({ a: z.string() }),
          }),
        ),
        headers: z.object({
          'x-one': z.string(),
          accept: z.string(),
          authorization: z.string(),
          'content-type': z.string(),
        }),
      },
      { path: '/items/{id}/{slug}' },
    );
    assert.deepEqual(
      described.parameters?.map((one) => [one.in, one.name, one.required, 'style' in one]),
      [
        ['path', 'id', true, false],
        ['path', 'slug', true, false],
        ['query', 'page', true, false],
        ['query', 'sort', false, false],
        ['query', 'tags', false, false], // an empty list is sent as nothing
        ['query', 'some', true, false],
        ['query', 'filter', true, true],
        ['header', 'x-one', true, false],
      ],
    );
    assert.match(JSON.stringify(described.parameters?.[0]?.schema), /uuid/);
  });

  it('omits a schema for parameters that is not an object, and reports it', async () => {
    const { described, problems } = await operationOf({ query: z.string() });
    assert.equal(described.parameters, undefined);
    assert.deepEqual(problems, ['items.query is not an object with properties, and is omitted.']);
  });

  it("for a class's method has the class name as a tag", async () => {
    class ShopController {
      list(): string {
        return 'x';
      }
    }
    const routes = createRoutes([
      { name: 'a', path: '/a', methods: 'GET', target: { controller: [ShopController, 'list'] } },
    ]);
    const { document } = await createOpenApiDocument(routes, { info });
    assert.deepEqual(document.paths['/a']?.get?.tags, ['Shop']);
  });

  it('has its required access and schemes, if access is required', () => {
    const access = (changes: Partial<RouteAccess>): RouteAccess =>
      ({
        isRequired: true,
        attributes: ['edit`or', 'b'],
        schemes: new Map([['basic', { type: 'http' }]]),
        ...changes,
      }) as RouteAccess; // the part that is described
    const asked: string[] = [];
    const of = (
      given: RouteAccess,
    ): { readonly described: OpenApiOperation; readonly schemes: Record<string, unknown> } => {
      const schemes: Record<string, unknown> = {};
      const described = describeOperation(
        {
          route: { name: 'items', path: '/items/{id}', host: '{shop}.test', defaults: {} },
          template: { path: '/items/{id}', variables: [], shown: [] },
          operation: { description: 'Text.' },
          schemas: undefined,
          controller: () => 'x',
          id: 'items',
          method: 'GET',
        } as unknown as Parameters<typeof describeOperation>[0], // the part that is read
        {
          book: {} as Parameters<typeof describeOperation>[1]['book'], // there is no schema
          accessOf: (request) => {
            asked.push(`${request.host} ${request.path}`);
            return given;
          },
          onProblem: assert.fail,
          responses: {},
          securitySchemes: schemes,
        },
      );
      return { described, schemes };
    };
    const required = of(access({}));
    assert.equal(required.described.description, 'Text.\n\nRequires `editor`, `b`.');
    assert.deepEqual(required.described.security, [{ basic: [] }]);
    assert.deepEqual(required.schemes, { basic: { type: 'http' } });
    assert.deepEqual(Object.keys(required.described.responses), ['200', '401', '403', 'default']);
    assert.deepEqual(asked, ['shop.test /items/id']);
    const open = of(access({ isRequired: false, attributes: [] }));
    assert.deepEqual(
      [open.described.security, open.described.description, open.schemes],
      [undefined, 'Text.', {}],
    );
    assert.deepEqual(Object.keys(open.described.responses), ['200', 'default']);
    assert.equal(of(access({ schemes: new Map() })).described.security, undefined);
  });
});

describe("an operation's response", () => {
  it('has no content if its status allows none', async () => {
    for (const status of [204, 205, 304]) {
      const { described } = await operationOf({ status });
      assert.equal(JSON.stringify(described.responses[status]).includes('content'), false);
    }
    const { described } = await operationOf({ status: 201, response: z.object({ id: z.number() }) });
    assert.deepEqual(Object.keys(described.responses[201] ?? {}), ['description', 'content']);
  });
});
