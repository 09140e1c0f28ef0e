import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { withSchemas } from '#framework/controller';
import { createRoutes, type RouteDefinition } from '#core/routing';
import { createOpenApiDocument, type DescribedApplication } from './open-api.js';

const info = { title: 'Shop', version: '1' };

async function describeOf(...definitions: readonly RouteDefinition[]): Promise<DescribedApplication> {
  return createOpenApiDocument(createRoutes(definitions), { info });
}

function route(name: string, path: string, more: Partial<RouteDefinition> = {}): RouteDefinition {
  return { name, path, methods: 'GET', target: () => 'x', ...more } as RouteDefinition; // the target, unchanged
}

describe('a routes document', () => {
  it('has only methods that a path item can have', async () => {
    const { document, problems } = await describeOf(
      route('many', '/many', { methods: ['PURGE', 'PATCH', 'GET', 'MKCOL'] }),
      route('odd', '/odd', { methods: ['PURGE'] }),
    );
    assert.deepEqual(Object.keys(document.paths['/many'] ?? {}), ['get', 'patch']);
    assert.equal(document.paths['/odd'], undefined);
    assert.deepEqual(problems, []);
  });

  it('shows a route for every method under its most likely method', async () => {
    const { document } = await describeOf(
      route('reads', '/reads', { methods: [] }),
      route('takes', '/takes', {
        methods: [],
        target: withSchemas({ body: z.unknown() }, ({ body }) => body),
      }),
    );
    const methods = ['/reads', '/takes'].map((path) => Object.keys(document.paths[path] ?? {}));
    assert.deepEqual(methods, [['get'], ['post']]);
  });

  it('omits routes that begin with an underscore or opt out, unless they are requested', async () => {
    const routes = createRoutes([
      route('_inner', '/_inner'),
      route('shown', '/shown'),
      route('silent', '/silent', { target: { controller: () => 'x', operation: false } }),
    ]);
    const paths = async (include?: () => boolean): Promise<string[]> => {
      const options = include === undefined ? { info } : { info, include };
      return Object.keys((await createOpenApiDocument(routes, options)).document.paths);
    };
    assert.deepEqual(await paths(), ['/shown']);
    assert.deepEqual(await paths(() => true), ['/_inner', '/shown']);
  });

  it('has one operation per method and path, whatever the variables are called, and reports omitted ones', async () => {
    const { document, problems } = await describeOf(
      route('first', '/users/{id}'),
      route('second', '/users/{name}'),
      route('writes', '/users/{key}', { methods: 'PUT' }),
    );
    assert.deepEqual(Object.keys(document.paths), ['/users/{id}']);
    assert.deepEqual(Object.keys(document.paths['/users/{id}'] ?? {}), ['get', 'put']);
    assert.equal(document.paths['/users/{id}']?.['put']?.parameters?.[0]?.name, 'id');
    assert.deepEqual(problems, [
      'second: first already describes GET /users/{id}, and a document has one operation for each method of a path.',
    ]);
  });

  it('names each operation once, for any routes', async () => {
    const segment = fc.constantFrom('a', 'b', '{x}', '{y}', '{z?1}');
    const path = fc.uniqueArray(segment, { maxLength: 4 }).map((parts) => `/${parts.join('/')}`);
    const methods = fc.uniqueArray(fc.constantFrom('GET', 'POST', 'PURGE'), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(path, methods), { maxLength: 8 }), async (given) => {
        const definitions = given.map(([one, list], at) => route(`r${at}`, one, { methods: list }));
        const { document } = await describeOf(...definitions);
        const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
        const ids = operations.map(({ operationId }) => operationId);
        assert.equal(new Set(ids).size, ids.length);
        for (const [shown, item] of Object.entries(document.paths))
          for (const { parameters = [] } of Object.values(item)) {
            const names = parameters.filter((one) => one.in === 'path').map(({ name }) => `{${name}}`);
            assert.deepEqual(names, shown.match(/\{[^}]*\}/g) ?? []);
          }
      }),
      { numRuns: 60 },
    );
  });
});
