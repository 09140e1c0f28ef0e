import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import { createApp, findRouteSchemas, HttpResponse, Post } from 'lookback';
import type { App } from 'lookback';
import { routeParameter, routeSchemas, toInteger, withArguments, withSchemas } from 'lookback/controller';
import type { SchemaContext } from 'lookback/controller';

const Article = z.object({ id: z.number(), title: z.string() });
const shown: unknown[] = [];

const ruled = { body: v.object({ title: v.pipe(v.string(), v.minLength(3)) }), status: 201 };

class NoteController {
  @Post('/notes')
  @routeSchemas.on(ruled)
  add({ body, url }: SchemaContext<typeof ruled>): { readonly title: string; readonly url: string } {
    return { title: body.title, url: url('note_add') };
  }
}

function createShop(debug: boolean): App {
  const app = createApp({
    configuration: { debug, profilerStore: debug ? 'memory:' : 'off', port: 0 },
    controllers: [NoteController],
    logHandlers: [{ minLevel: 'critical', handle: ({ message }) => shown.push(message) }],
  });
  app.post(
    '/articles/{id}',
    withSchemas(
      {
        params: z.object({ id: z.coerce.number().int() }),
        query: z.object({ draft: z.stringbool().default(false), tag: z.array(z.string()).optional() }),
        headers: z.object({ 'x-client': z.string().min(2) }),
        body: z.object({
          title: z.string().min(3),
          items: z.array(z.object({ price: z.number() })).default([]),
        }),
        response: Article,
        status: 201,
      },
      ({ params, query, headers, body, log }) => {
        log.debug('An article is stored.');
        const secret = { passwordHash: 'secret' };
        return {
          id: params.id + 1,
          title: `${body.title} ${query.tag?.join('+')} ${query.draft} ${headers['x-client']}`,
          ...secret,
        };
      },
    ),
    { name: 'add_article' },
  );
  app.get(
    '/valibot/{page}',
    withSchemas(
      {
        params: v.object({ page: v.pipe(v.string(), v.transform(Number), v.minValue(1)) }),
        query: v.object({ order: v.optional(v.picklist(['asc', 'desc']), 'asc') }),
      },
      ({ params, query }) => ({ page: params.page, order: query.order }),
    ),
  );
  app.post(
    '/arktype',
    withSchemas({ body: type({ email: 'string.email', 'age?': 'number>17' }) }, ({ body }) => body),
  );
  app.get(
    '/wrong',
    withSchemas({ response: Article }, () => ({ id: 'x' as unknown as number, title: 'secret title' })),
  ); // on purpose
  app.get(
    '/own',
    withSchemas({ response: Article }, () => HttpResponse.text('own')),
  );
  app.delete(
    '/gone',
    withSchemas({ status: 204 }, () => undefined),
  );
  app.get(
    '/async',
    withSchemas({ response: z.object({ at: z.date().transform(String) }) }, async () => ({
      at: new Date(0),
    })),
  );
  return app;
}

type Ask = (path: string, init?: RequestInit) => Promise<Response>;

const json = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

describe('route schemas', () => {
  const apps = [createShop(true), createShop(false)];
  const ways: Ask[] = [];
  before(async () => {
    for (const app of apps) {
      const { url } = await app.listen();
      ways.push(
        (path, init) => app.fetch(path, init),
        (path, init) => fetch(url + path, init),
      );
    }
  });
  after(() => Promise.all(apps.map((app) => app.close())));

  async function everywhere(
    path: string,
    init: RequestInit | undefined,
    expected: readonly [number, unknown],
  ): Promise<void> {
    for (const ask of ways) {
      const headers = new Headers(init?.headers);
      headers.set('Accept', 'application/json');
      const answer = await ask(path, { ...init, headers });
      const text = await answer.text();
      const body = (text.startsWith('{') ? JSON.parse(text) : text) as {
        debug?: unknown;
        violations?: unknown;
      }; // an object or text
      const seen = answer.status < 400 ? body : (body.violations ?? null);
      assert.deepEqual([answer.status, seen], expected, path);
    }
  }

  it('pass their output to the controller, and the response schema sends its own', async () => {
    const init = json({ title: 'Pears' }, { 'X-Client': 'ab' });
    await everywhere('/articles/7?tag=a&tag=b&draft=yes', init, [201, { id: 8, title: 'Pears a+b true ab' }]);
    await everywhere('/articles/7?tag[]=a', init, [201, { id: 8, title: 'Pears a false ab' }]);
    await everywhere('/valibot/3', undefined, [200, { page: 3, order: 'asc' }]);
    await everywhere('/arktype', json({ email: 'ada@example.org' }), [200, { email: 'ada@example.org' }]);
    await everywhere('/notes', json({ title: 'Note' }), [201, { title: 'Note', url: '/notes' }]);
    await everywhere('/own', undefined, [200, 'own']);
    await everywhere('/gone', { method: 'DELETE' }, [204, '']);
    await everywhere('/async', undefined, [200, { at: String(new Date(0)) }]);
  });

  it('report every violation together, with its part, path and code', async () => {
    await everywhere('/articles/7?draft=perhaps', json({ title: 'Pe', items: [{ price: 'x' }] }), [
      422,
      [
        {
          path: 'draft',
          message:
            'Invalid option: expected one of "true"|"1"|"yes"|"on"|"y"|"enabled"|"false"|"0"|"no"|"off"|"n"|"disabled"',
          code: 'invalid_value',
          in: 'query',
        },
        {
          path: 'x-client',
          message: 'Invalid input: expected string, received undefined',
          code: 'invalid_type',
          in: 'header',
        },
        {
          path: 'title',
          message: 'Too small: expected string to have >=3 characters',
          code: 'too_small',
          in: 'body',
        },
        {
          path: 'items[0].price',
          message: 'Invalid input: expected number, received string',
          code: 'invalid_type',
          in: 'body',
        },
      ],
    ]);
    await everywhere('/valibot/3?order=up', undefined, [
      422,
      [
        {
          path: 'order',
          message: 'Invalid type: Expected ("asc" | "desc") but received "up"',
          code: 'picklist',
          in: 'query',
        },
      ],
    ]);
    await everywhere('/notes', json({ title: 'N' }), [
      422,
      [
        {
          path: 'title',
          message: 'Invalid length: Expected >=3 but received 1',
          code: 'min_length',
          in: 'body',
        },
      ],
    ]);
    for (const ask of ways) {
      const answer = (await (await ask('/arktype', json({ email: 'ada', age: 3 }))).json()) as {
        violations: { path: string; code: string }[]; // as in a 422 response
      };
      assert.deepEqual(answer.violations.map(({ path, code }) => [path, code]).sort(), [
        ['age', 'min'],
        ['email', 'pattern'],
      ]);
    }
  });

  it('answer a path that does not match with 404, whatever else is wrong', async () => {
    const message = 'Invalid input: expected number, received NaN';
    await everywhere('/articles/x', json({ title: 'P' }), [
      404,
      [{ path: 'id', message, code: 'invalid_type', in: 'path' }],
    ]);
    await everywhere('/valibot/0', undefined, [
      404,
      [
        {
          path: 'page',
          message: 'Invalid value: Expected >=1 but received 0',
          code: 'min_value',
          in: 'path',
        },
      ],
    ]);
  });

  it('answer a missing, malformed or differently typed body with 400 or 415', async () => {
    await everywhere('/notes', { method: 'POST' }, [400, null]);
    await everywhere(
      '/notes',
      { method: 'POST', body: '{', headers: { 'Content-Type': 'application/json' } },
      [400, null],
    );
    await everywhere('/notes', { method: 'POST', body: 'x', headers: { 'Content-Type': 'text/plain' } }, [
      415,
      null,
    ]);
    await everywhere('/arktype?__proto__[a]=1', json({ email: 'ada@example.org' }), [
      200,
      { email: 'ada@example.org' },
    ]);
    await everywhere('/valibot/1?__proto__[a]=1', undefined, [400, null]);
  });

  it('report a mismatched result as a service error that names the field but no value', async () => {
    shown.length = 0;
    await everywhere('/wrong', undefined, [500, null]);
    assert.equal(shown.length, ways.length);
    assert.match(String(shown[0]), /does not match its response schema: id: Invalid input: expected number/);
    assert.doesNotMatch(shown.join(), /secret/);
  });

  it("are found by the route's name", () => {
    const [app] = apps;
    const route = app?.routes.find('add_article');
    assert.ok(route !== undefined);
    const schemas = findRouteSchemas(route);
    assert.equal(schemas?.response, Article);
    assert.equal(schemas?.status, 201);
    assert.equal(findRouteSchemas(app?.routes.find('note_add') ?? { target: undefined }), ruled);
    assert.equal(findRouteSchemas({ target: undefined }), undefined);
  });
});

describe('parameters that a path does not have', () => {
  it('are refused when the route is registered, and by the compiler if the path is literal', () => {
    const app = createApp({ configuration: { profilerStore: 'off' } });
    const before = app.routes.size;
    const refused = { code: 'CONTROLLER_ROUTE_PARAMETER', fix: /id/ };
    const show = withArguments([routeParameter('idd', toInteger)], (id) => id);
    // @ts-expect-error the path has no parameter "idd"
    assert.throws(() => app.get('/a/{id}', show), refused);
    const path: string = '/b/{id}';
    assert.throws(() => app.get(path, show), refused);
    assert.throws(() => app.route({ path: '/c/{id}', controller: show }), refused);
    assert.throws(
      () => app.get('/d/{id}', (idd: string) => idd, { arguments: [routeParameter('idd')] }),
      refused,
    );
    class Late {
      @Post('/e/{id}', { arguments: [routeParameter('idd')] })
      post(idd: string): string {
        return idd;
      }
    }
    assert.throws(() => app.register(Late), refused);
    assert.throws(() => createApp({ routes: [{ path: '/f/{id}', controller: show }] }), refused);
    const one = withSchemas({ params: z.object({ idd: z.string() }) }, ({ params }) => params.idd);
    // @ts-expect-error the path has no parameter "idd"
    assert.throws(() => app.get('/g/{id}', one), refused);
    assert.equal(app.routes.size, before, 'the refused routes are not registered');
  });

  it('are found in prefix, host, defaults and every language too', async () => {
    const app = createApp({ configuration: { profilerStore: 'off' } });
    const echo = withArguments(
      [routeParameter('shop'), routeParameter('id', toInteger)],
      (shop, id) => `${shop} ${id}`,
    );
    app.group({ path: '/{shop}' }, (api) => {
      api.get('/x/{id}', echo).get('/y/{id}', echo);
      api.get(
        '/z/{id}',
        withSchemas({ params: z.object({ shop: z.string() }) }, ({ params }) => params.shop),
      );
    });
    app.get('/v/{id}', echo, { host: '{shop}.localhost' });
    app.get('/w/{id}', echo, { defaults: { shop: 'corner' } });
    app.get({ en: '/en/{shop}/{id}', de: '/de/{shop}/{id}' }, echo, { name: 'both' });
    const texts = await Promise.all(
      ['/a/x/1', '/a/y/2', '/a/z/3', '/w/4', '/de/b/5'].map(async (at) => (await app.fetch(at)).text()),
    );
    assert.deepEqual(texts, ['a 1', 'a 2', 'a', 'corner 4', 'b 5']);
    assert.equal(await (await app.fetch('http://c.localhost/v/6')).text(), 'c 6');
  });
});
