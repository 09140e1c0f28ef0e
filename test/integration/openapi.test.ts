import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Validator } from '@seriousme/openapi-schema-validator';
import { toJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import type { App } from 'lookback';
import { annotate, createApp, Get } from 'lookback';
import { withSchemas } from 'lookback/controller';
import type { JsonSchema, JsonSchemaOf, OpenApiDocument, OpenApiOperation } from 'lookback/openapi';
import { openApi } from 'lookback/openapi';
import {
  accessToken,
  createMemoryUserProvider,
  createSecurity,
  formLogin,
  isGranted,
  listedTokens,
  PUBLIC_ACCESS,
} from 'lookback/security';

/** The valibot conversion from docs/guides/openapi.md. */
const valibotSchema: JsonSchemaOf = (schema, typeMode) =>
  schema['~standard'].vendor === 'valibot'
    ? (toJsonSchema(schema as v.GenericSchema, { typeMode, errorMode: 'ignore' }) as JsonSchema) // the vendor is checked, and the result is an object
    : undefined;

const Order = z
  .object({
    id: z.number().int(),
    at: z.date(),
    kind: z.enum(['a', 'b']).default('a'),
    get parent() {
      return Order.optional();
    },
  })
  .meta({ id: 'Order', description: 'An order.' });
const Tree = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree);
  },
});

class BookController {
  @Get('/books', { operation: { summary: 'All books' } })
  list(): string[] {
    return [];
  }
}

const warnings: string[] = [];

function createShop({ debug = true } = {}): App {
  const security = createSecurity({
    secret: 'a secret of at least thirty-two characters',
    provider: createMemoryUserProvider([{ identifier: 'ada', roles: ['ROLE_ADMIN'] }]),
    firewalls: [
      { name: 'open', path: '/open', security: false },
      {
        name: 'api',
        path: '/api',
        stateless: true,
        entryPoint: 'access-token',
        authenticators: [
          accessToken({ handler: listedTokens({ t: 'ada' }) }),
          accessToken({ handler: listedTokens({ k: 'ada' }), header: 'X-Key' }),
        ],
      },
      { name: 'site', authenticators: [formLogin({ loginPath: '/login' })] },
    ],
    accessControl: [
      { path: '/api/public', allow: PUBLIC_ACCESS },
      { path: '/api', methods: ['POST'], allow: ['ROLE_WRITER', 'ROLE_ADMIN'] },
      { path: ['/open', '/closed'], allow: 'ROLE_ADMIN' },
    ],
  });
  const app: App = createApp({
    configuration: { debug, profilerStore: 'off', port: 0, host: '127.0.0.1' },
    security,
    logHandlers: [{ minLevel: 'warning', handle: ({ message }) => warnings.push(message) }],
    controllers: [BookController],
    extensions: [
      openApi({
        app: () => app,
        info: { title: 'Shop', version: '1.2.3' },
        servers: [{ url: 'https://shop.example.org' }],
        jsonSchemaOf: valibotSchema,
        security,
      }),
    ],
  });
  app.group({ path: '/api', name: 'api_', operation: { tags: ['Orders'] } }, (api) => {
    api.post(
      '/shops/{shop}/orders',
      withSchemas(
        {
          params: z.object({ shop: z.coerce.number().int() }),
          query: z.object({
            draft: z.stringbool().default(false),
            tag: z.array(z.string()).optional(),
            filter: z.object({ from: z.string() }).optional(),
          }),
          headers: z.object({ 'x-client': z.string().min(2), authorization: z.string().optional() }),
          body: z.object({ items: z.array(z.string()).min(1), note: Order.optional() }),
          response: Order,
          status: 201,
        },
        () => ({ id: 1, at: new Date(0) }),
      ),
      {
        name: 'order',
        operation: {
          summary: 'Orders things',
          description: 'All of them.',
          tags: ['Orders', 'Money'],
          deprecated: true,
          responseDescription: 'The order',
          responses: { 202: 'Later', 409: 'It was ordered before.' },
        },
      },
    );
    api.get('/shops/{id}/orders', () => [], { name: 'orders' });
    api.get('/public', () => 'x', { name: 'public' });
    api.get(
      '/secret',
      annotate(() => 'x', isGranted.of('ROLE_ADMIN')),
      { name: 'secret' },
    );
  });
  app.post(
    '/valibot/{page}',
    withSchemas(
      {
        params: v.object({ page: v.pipe(v.string(), v.regex(/^\d+$/)) }),
        body: v.object({ name: v.pipe(v.string(), v.minLength(3)), when: v.optional(v.date()) }),
      },
      () => 'x',
    ),
    { name: 'valibot' },
  );
  app.put(
    '/ark',
    withSchemas({ body: type({ name: 'string>2', 'when?': 'Date' }) }, () => 'x'),
    {
      name: 'ark',
    },
  );
  app.put(
    '/tree',
    withSchemas({ body: Tree, response: Tree }, ({ body }) => body),
    { name: 'tree' },
  );
  app.get('/pages/{page<\\d+>?1}', () => 'x', { name: 'pages' });
  app.get('/typed/{w<a|b>}', () => 'x', { name: 'typed' });
  app.get('/hosts', () => 'x', { name: 'hosts', host: '{shop}.example.org' });
  app.get({ en: '/about', fr: '/a-propos' } as const, () => 'x', { name: 'about' });
  app.any('/any', () => 'x', { name: 'any' });
  app.get('/open/x', () => 'x', { name: 'open' });
  app.get('/hidden', () => 'x', { name: 'hidden', operation: false });
  return app;
}

async function documentOf(app: App): Promise<OpenApiDocument> {
  const response = await app.fetch('/openapi.json');
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/json');
  return (await response.json()) as OpenApiDocument; // the part that the tests read
}

describe('the OpenAPI document', () => {
  const app = createShop();
  let document: OpenApiDocument;
  const find = (path: string, method: string): OpenApiOperation => {
    const operation = document.paths[path]?.[method];
    assert.ok(operation, `${method} ${path} is among ${Object.keys(document.paths).join(' ')}`);
    return operation;
  };
  before(async () => {
    document = await documentOf(app);
  });
  after(() => app.close());

  it('is valid for the OpenAPI 3.1 meta-schema, which rejects an invalid document', async () => {
    const check = async (given: object): Promise<boolean> => {
      const copy = JSON.parse(JSON.stringify(given)) as Record<string, unknown>; // the validator modifies it
      const { valid, errors } = await new Validator().validate(copy);
      if (!valid) refused.push(JSON.stringify(errors).slice(0, 2000));
      return valid;
    };
    const refused: string[] = [];
    assert.equal(await check(document), true, refused.join());
    assert.equal(await check({ ...document, paths: { 'no-slash': { get: {} } } }), false);
  });

  it('has a component for every reference', () => {
    const text = JSON.stringify(document);
    const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1] ?? '');
    assert.ok(references.length > 20);
    for (const reference of new Set(references)) {
      const target = reference
        .split('/')
        .reduce<unknown>((place, key) => (place as Record<string, unknown>)[key], document); // a path of keys
      assert.ok(target, reference);
    }
    assert.ok(!text.includes('$defs') && !text.includes('$schema'));
  });

  it('describes an operation with its route, schemas and metadata', () => {
    const order = find('/api/shops/{shop}/orders', 'post');
    const { operationId, summary, description, tags, deprecated } = order;
    assert.deepEqual(
      { operationId, summary, description, tags, deprecated },
      {
        operationId: 'api_order',
        summary: 'Orders things',
        description: 'All of them.\n\nRequires `ROLE_WRITER`, `ROLE_ADMIN`.',
        tags: ['Orders', 'Money'],
        deprecated: true,
      },
    );
    const parameters = order.parameters?.map(({ name, in: part, required, style }) =>
      [name, part, required, style].filter((one) => one !== undefined),
    );
    assert.deepEqual(parameters, [
      ['shop', 'path', true],
      ['draft', 'query', false],
      ['tag', 'query', false],
      ['filter', 'query', false, 'deepObject'],
      ['x-client', 'header', true],
    ]);
    assert.equal(order.parameters?.[0]?.schema['type'], 'integer');
    assert.deepEqual(order.requestBody?.content['application/json']?.schema?.['required'], ['items']);
    assert.deepEqual(Object.keys(order.requestBody?.content ?? {}), [
      'application/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
    ]);
    const statuses = '201 202 400 401 403 404 409 413 415 422 default';
    assert.equal(Object.keys(order.responses).join(' '), statuses);
    assert.deepEqual(order.responses['201'], {
      description: 'The order',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
    });
    assert.deepEqual(order.responses['422'], { $ref: '#/components/responses/UnprocessableContent' });
  });

  it('describes zod, valibot and arktype schemas, named ones once for each direction', () => {
    const { schemas } = document.components;
    assert.deepEqual(
      Object.keys(schemas).filter((name) => name.startsWith('Order')),
      ['OrderInput', 'Order'].sort(),
    );
    assert.deepEqual(schemas['Order']?.['required'], ['id', 'at', 'kind']);
    assert.deepEqual(schemas['OrderInput']?.['required'], ['id', 'at']);
    const properties = schemas['Order']?.['properties'] as Record<string, unknown>; // an object schema has properties
    assert.deepEqual(properties['at'], { type: 'string', format: 'date-time' });
    assert.deepEqual(properties['parent'], { $ref: '#/components/schemas/Order' });
    const body = (path: string, method: string): unknown =>
      find(path, method).requestBody?.content['application/json']?.schema;
    assert.deepEqual(body('/valibot/{page}', 'post'), {
      type: 'object',
      properties: { name: { type: 'string', minLength: 3 }, when: {} },
      required: ['name'],
    });
    assert.deepEqual(body('/ark', 'put'), {
      type: 'object',
      properties: { name: { type: 'string', minLength: 3 }, when: {} },
      required: ['name'],
    });
    assert.deepEqual(body('/tree', 'put'), { $ref: '#/components/schemas/tree.body' });
    assert.deepEqual(find('/valibot/{page}', 'post').parameters?.[0]?.schema, {
      type: 'string',
      pattern: '^\\d+$',
    });
    assert.deepEqual(warnings, []);
  });

  it('has all paths of a route: optional parts, words, locales, with one name for each variable', () => {
    assert.deepEqual(find('/pages/{page}', 'get').parameters, [
      { name: 'page', in: 'path', required: true, schema: { type: 'string', pattern: '^(?:\\d+)$' } },
    ]);
    assert.equal(find('/pages', 'get').operationId, 'pages_2');
    const typed = find('/typed/{w}', 'get').parameters?.map(({ schema }) => schema);
    assert.deepEqual(typed, [{ type: 'string', enum: ['a', 'b'] }]);
    assert.equal(find('/a-propos', 'get').operationId, 'about.fr');
    const orders = find('/api/shops/{shop}/orders', 'get');
    assert.deepEqual(
      [orders.operationId, orders.parameters?.[0]?.name, orders.tags],
      ['api_orders', 'shop', ['Orders']],
    );
    assert.deepEqual(Object.keys(document.paths['/any'] ?? {}), ['get']);
    assert.deepEqual(find('/books', 'get').tags, ['Book']);
    assert.deepEqual(
      Object.keys(document.paths).filter((path) => /hidden|openapi|_profiler/.test(path)),
      [],
    );
  });

  it('has the required authentication, from firewall, access rule and isGranted', () => {
    const both = [{ 'access-token': [] }, { 'api-key': [] }];
    assert.deepEqual(find('/api/shops/{shop}/orders', 'post').security, both);
    assert.deepEqual(find('/api/secret', 'get').security, both);
    assert.equal(find('/api/secret', 'get').description, 'Requires `ROLE_ADMIN`.');
    for (const [path, method] of [
      ['/api/public', 'get'],
      ['/api/shops/{shop}/orders', 'get'],
      ['/open/x', 'get'],
    ] as const) {
      const { security, responses } = find(path, method);
      assert.deepEqual([security, responses['401']], [undefined, undefined], path);
    }
    assert.deepEqual(document.components.securitySchemes, {
      'access-token': { type: 'http', scheme: 'bearer' },
      'api-key': { type: 'apiKey', in: 'header', name: 'X-Key' },
    });
  });
});

describe('the documented responses', () => {
  const app = createShop();
  after(() => app.close());

  it('are the actual ones: 401, 404, 422 with violations as in its Problem schema', async () => {
    const document = await documentOf(app);
    const { required } = document.components.schemas['Problem'] ?? {};
    assert.ok(Array.isArray(required) && required.length > 0);
    const post = (path: string, headers: Record<string, string>): Promise<Response> =>
      app.fetch(path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...headers },
        body: '{}',
      });
    const token = { Authorization: 'Bearer t' };
    for (const [path, headers, status] of [
      ['/api/shops/7/orders', {}, 401],
      ['/api/shops/x/orders', token, 404],
      ['/api/shops/7/orders', token, 422],
    ] as const) {
      const response = await post(path, headers);
      const problem = (await response.json()) as Record<string, unknown>;
      assert.equal(response.status, status);
      assert.equal(response.headers.get('content-type'), 'application/problem+json');
      for (const name of required as string[]) assert.ok(name in problem, `${status} ${name}`);
      if (status === 422) assert.ok(Array.isArray(problem['violations']));
    }
  });
});

describe('availability and limits of the document', () => {
  it('is served over a socket, to two clients at once, and rebuilt after routes were added', async () => {
    const app = createShop();
    const { url } = await app.listen();
    const ask = async (): Promise<OpenApiDocument> =>
      (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument;
    const [one, two] = await Promise.all([ask(), ask()]);
    assert.deepEqual(one, two);
    assert.equal(one.paths['/late'], undefined);
    app.get('/late', () => 'x');
    assert.ok((await ask()).paths['/late']?.['get']);
    await app.close();
  });

  it('is served outside debug too', async () => {
    const app = createShop({ debug: false });
    assert.ok((await documentOf(app)).paths['/books']);
    await app.close();
  });

  it('has an empty schema where none can be described, with a warning', async () => {
    warnings.length = 0;
    const own = {
      '~standard': { version: 1 as const, vendor: 'own', validate: (value: unknown) => ({ value }) },
    };
    const app = createShop();
    app.post(
      '/own',
      withSchemas({ body: own, query: z.union([z.object({}), z.string()]) }, () => 'x'),
      { name: 'own' },
    );
    app.get('/books', () => 'x', { name: 'twice' });
    const document = await documentOf(app);
    const body = document.paths['/own']?.['post']?.requestBody?.content['application/json'];
    assert.deepEqual(body, { schema: {} });
    assert.equal((await new Validator().validate(document as never)).valid, true); // any record
    assert.deepEqual(warnings.sort(), [
      'own.body: this own schema cannot be converted to JSON Schema. Pass jsonSchemaOf to openApi().',
      'own.query is not an object with properties, and is omitted.',
      'twice: book_list already describes GET /books, and a document has one operation for each method of a path.',
    ]);
    await app.close();
  });
});

describe('lookback openapi', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-openapi-'));
  after(() => rmSync(folder, { recursive: true }));
  const run = (...args: string[]): { code: number | null; out: string; err: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/bundle/cli.js', ...args], {
      encoding: 'utf8',
    });
    return { code: status, out: stdout, err: stderr };
  };
  const entry = (name: string): string => pathToFileURL(resolve(`dist/bundle/${name}.js`)).href;
  const plain = join(folder, 'plain.mjs');
  const extended = join(folder, 'extended.mjs');
  before(() => {
    writeFileSync(
      plain,
      `import { createRoutes } from '${entry('routing')}';
export const routes = createRoutes([{ name: 'home', path: '/', methods: 'GET', target: () => 'x' }]);`,
    );
    writeFileSync(
      extended,
      `import { createApp } from '${entry('index')}';
import { openApi } from '${entry('openapi')}';
export const app = createApp({ configuration: { profilerStore: 'off' }, extensions: [
  openApi({ app: () => app, info: { title: 'Own title', version: '9' } })] });
app.get('/x', () => 'x', { name: 'x' });`,
    );
  });

  it("writes the extension's document, to the output or to a file", () => {
    const { code, out, err } = run('openapi', '--app', extended);
    assert.deepEqual([code, err], [0, '']);
    const document = JSON.parse(out) as OpenApiDocument;
    assert.deepEqual([document.info.title, Object.keys(document.paths)], ['Own title', ['/x']]);
    const file = join(folder, 'openapi.json');
    assert.deepEqual(run('openapi', '--app', extended, '--out', file), { code: 0, out: '', err: '' });
    assert.equal(readFileSync(file, 'utf8'), out);
  });

  it('writes a document for plain routes, named after the package', () => {
    const { code, out } = run('openapi', '--app', plain);
    const document = JSON.parse(out) as OpenApiDocument;
    assert.deepEqual([code, document.info.title, Object.keys(document.paths)], [0, 'lookback', ['/']]);
    assert.equal(run('openapi', '--what').code, 2);
    assert.equal(run('openapi', '--app', 'none.js').code, 2);
  });
});
