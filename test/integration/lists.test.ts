import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import { createApp } from 'lookback';
import { requestBody, withArguments, withSchemas } from 'lookback/controller';
import { createOpenApiDocument } from 'lookback/openapi';
import { defineRoutes } from 'lookback/routing';

const forms = z.object({
  tags: z.array(z.string()),
  ids: z.array(z.coerce.number().int()).optional(),
  count: z.coerce.number().optional(),
});
const needed = z.object({ email: z.email(), age: z.coerce.number(), two: z.array(z.string()).min(2) });

const routes = defineRoutes([
  {
    name: 'zod',
    path: '/zod',
    methods: 'GET',
    controller: withSchemas({ query: forms }, ({ query }) => query),
  },
  {
    name: 'needed',
    path: '/needed',
    methods: 'GET',
    controller: withSchemas({ query: needed }, ({ query }) => query),
  },
  {
    name: 'valibot',
    path: '/valibot',
    methods: 'GET',
    controller: withSchemas({ query: v.object({ tags: v.array(v.string()) }) }, ({ query }) => query),
  },
  {
    name: 'arktype',
    path: '/arktype',
    methods: 'GET',
    controller: withSchemas({ query: type({ tags: 'string[]' }) }, ({ query }) => query),
  },
  {
    name: 'body',
    path: '/body',
    methods: 'POST',
    controller: withSchemas({ body: forms }, ({ body }) => body),
  },
  {
    name: 'argument',
    path: '/argument',
    methods: 'POST',
    controller: withArguments([requestBody(forms)], (body) => body),
  },
]);

describe('lists in a query or form', () => {
  const app = createApp({ routes, configuration: { debug: false, profilerStore: 'off' }, logHandlers: [] });
  after(() => app.close());
  const get = async (target: string): Promise<unknown> => (await app.fetch(target)).json();
  const post = async (path: string, body: URLSearchParams | FormData): Promise<unknown> =>
    (await app.fetch(path, { method: 'POST', body })).json();

  it('a query or form with one value for a list gives a list of one, for zod, valibot and arktype', async () => {
    for (const path of ['/zod', '/valibot', '/arktype'])
      assert.deepEqual(await get(`${path}?tags=a`), { tags: ['a'] }, path);
    assert.deepEqual(await get('/zod?tags=a&ids=7&count=3'), { tags: ['a'], ids: [7], count: 3 });
    for (const path of ['/body', '/argument']) {
      assert.deepEqual(await post(path, new URLSearchParams({ tags: 'a' })), { tags: ['a'] }, path);
      const form = new FormData();
      form.set('tags', 'a');
      assert.deepEqual(await post(path, form), { tags: ['a'] }, path);
    }
  });

  it('a query or form without a required list gives an empty list', async () => {
    for (const path of ['/zod', '/valibot', '/arktype'])
      assert.deepEqual(await get(path), { tags: [] }, path);
    assert.deepEqual(await post('/body', new URLSearchParams({ count: '1' })), { tags: [], count: 1 });
  });

  it('a JSON body with a string instead of a list is refused with 422', async () => {
    const response = await app.fetch('/body', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ tags: 'a' }),
    });
    assert.equal(response.status, 422);
  });

  it("a wrong or missing field that is not a list keeps its schema's violation", async () => {
    const violations = async (target: string): Promise<unknown> =>
      ((await get(target)) as { violations: { path: string; message: string }[] }).violations.map(
        ({ path, message }) => `${path}: ${message}`,
      );
    const original = needed.safeParse({ email: 'x' });
    assert.deepEqual(
      await violations('/needed?email=x'),
      original.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`),
    );
    assert.deepEqual(await violations('/needed?email=a@b.example&two=a&two=b'), [
      'age: Invalid input: expected number, received NaN',
    ]);
    assert.match(String(await violations('/zod?tags=a&ids=x')), /^ids\.?\[?0/);
  });

  it('the OpenAPI document describes the accepted input: a list may be missing, unless the schema requires an item', async () => {
    const { document } = createOpenApiDocument(app.routes, { info: { title: 'lists', version: '1' } });
    const parameters = (path: string): unknown =>
      document.paths[path]?.['get']?.parameters?.map(({ name, required }) => `${name} ${required}`);
    assert.deepEqual(parameters('/zod'), ['tags false', 'ids false', 'count false']);
    assert.deepEqual(parameters('/needed'), ['email true', 'age true', 'two true']);
  });
});
