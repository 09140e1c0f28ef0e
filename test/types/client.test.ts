import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { z } from 'zod';
import type { App } from 'lookback';
import { ConflictError, createApp, HttpResponse } from 'lookback';
import { ClientError, createClient } from 'lookback/client';
import { withSchemas } from 'lookback/controller';
import { defineRoutes, groupRoutes } from 'lookback/routing';

/** Holds where both types are the same, not merely assignable. */
type Same<Left, Right> =
  (<Type>() => Type extends Left ? 1 : 2) extends <Type>() => Type extends Right ? 1 : 2 ? true : false;

const Article = z.object({ id: z.number(), title: z.string(), at: z.date() });

const articles = groupRoutes(
  { path: '/articles', name: 'article_' },
  defineRoutes([
    {
      name: 'show',
      path: '/{id}',
      methods: ['GET'],
      controller: withSchemas(
        { params: z.object({ id: z.coerce.number<string | number>() }), response: Article },
        ({ params }) => ({ id: params.id, title: 'A', at: new Date(0) }),
      ),
    },
    {
      name: 'add',
      path: '/',
      methods: 'POST',
      controller: withSchemas(
        {
          query: z.object({ draft: z.stringbool().optional(), tag: z.array(z.string()).default([]) }),
          headers: z.object({ 'x-client': z.string().optional() }),
          body: z.object({ title: z.string().min(3), kind: z.string().default('note') }),
          response: Article,
          status: 201,
        },
        ({ body, query, headers }) => {
          const { draft = false } = query;
          const title = `${body.title} ${body.kind} ${query.tag.join('+')} ${draft} ${headers['x-client'] ?? ''}`;
          return { id: 1, title, at: new Date(0) };
        },
      ),
    },
  ]),
);
const api = [
  ...articles,
  ...defineRoutes([
    { name: 'plain', path: '/plain/{a}/{b?x}', methods: 'GET', controller: () => 'text' },
    { name: 'gone', path: '/gone', methods: ['DELETE', 'PUT'], controller: () => HttpResponse.empty() },
    {
      name: 'taken',
      path: '/taken',
      methods: 'POST',
      controller: () => {
        throw new ConflictError('It is taken.');
      },
    },
  ]),
] as const;

const app: App = createApp({ configuration: { debug: false, profilerStore: 'off', port: 0 }, routes: api });

describe('a client of routes as values', () => {
  after(() => app.close());
  const client = createClient<typeof api>({
    fetch: (url, init) => app.fetch(url, init),
    headers: () => ({ 'X-Client': 'shared' }),
  });

  it('knows what is sent and what comes, and sends it', async () => {
    const article = await client.get('/articles/{id}', { params: { id: 7 } });
    const type: Same<typeof article, { id: number; title: string; at: string }> = true;
    assert.deepEqual([article, type], [{ id: 7, title: 'A', at: '1970-01-01T00:00:00.000Z' }, true]);
    const added = await client.post('/articles/', {
      body: { title: 'New' },
      query: { tag: ['one'], draft: 'yes' },
      headers: { 'x-client': 'own' },
    });
    assert.equal(added.title, 'New note one true own');
    assert.equal(
      (await client.post('/articles/', { body: { title: 'New' } })).title,
      'New note  false shared',
    );
    assert.equal(await client.get('/plain/{a}/{b?x}', { params: { a: 1, b: 2 } }), 'text');
    assert.equal(await client.delete('/gone'), undefined);
  });

  it('gives problems as errors, with their violations', async () => {
    await assert.rejects(client.post('/taken'), (error) => {
      assert.ok(error instanceof ClientError);
      assert.deepEqual([error.status, error.message], [409, 'It is taken.']);
      return true;
    });
    await assert.rejects(client.post('/articles/', { body: { title: 'x' } }), (error) => {
      assert.ok(error instanceof ClientError);
      assert.deepEqual([error.status, error.problem.violations?.[0]?.path], [422, 'title']);
      return true;
    });
    await assert.rejects(client.get('/articles/{id}', { params: { id: 'x' } }), { status: 404 });
  });

  it('createClient: a call goes over a socket and takes a signal', async () => {
    const { url } = await app.listen();
    const remote = createClient<typeof api>({ baseUrl: `${url}/` });
    assert.equal((await remote.get('/articles/{id}', { params: { id: 3 } })).id, 3);
    const signal = AbortSignal.abort();
    await assert.rejects(remote.get('/articles/{id}', { params: { id: 3 }, signal }), { name: 'AbortError' });
  });

  it('refuses what the routes do not have', () => {
    const never = (): unknown => [
      // @ts-expect-error no such path
      client.get('/nothing'),
      // @ts-expect-error no such method of it
      client.post('/articles/{id}', { params: { id: 1 } }),
      // @ts-expect-error its parameter is missing
      client.get('/articles/{id}'),
      // @ts-expect-error another name
      client.get('/articles/{id}', { params: { slug: 1 } }),
      // @ts-expect-error its body is missing
      client.post('/articles/'),
      // @ts-expect-error a title is text
      client.post('/articles/', { body: { title: 1 } }),
      // @ts-expect-error there is no such query
      client.post('/articles/', { body: { title: 'abc' }, query: { page: 1 } }),
    ];
    assert.equal(typeof never, 'function');
  });
});
