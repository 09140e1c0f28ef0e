import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isCodedError } from '#core/coded-error';
import { compileRoutes } from '../compile/compile-routes.js';
import { matchRoute } from '../match/match-route.js';
import { createRoutes, type RouteCollection } from './route-collection.js';
import type { RouteDefinition } from './route.js';

function refusal(run: () => unknown): { code: string; message: string; fix: string | undefined } {
  try {
    run();
  } catch (error) {
    assert.ok(isCodedError(error));
    return { code: error.code, message: error.message, fix: error.fix };
  }
  assert.fail('it was accepted');
}

const routed = (routes: RouteCollection, path: string): string => {
  const result = matchRoute(compileRoutes(routes), { method: 'GET', path });
  return result.kind === 'match' ? result.route.path : result.kind;
};

describe('RouteCollection', () => {
  it('refuses a second route with the same name, and keeps the first', () => {
    const routes = createRoutes([{ name: 'x', path: '/a', methods: 'GET' }]);
    const { code, message, fix } = refusal(() => routes.add({ name: 'x', path: '/b' }));
    assert.equal(code, 'ROUTING_DUPLICATE_NAME');
    assert.ok(message.includes('"x" (/b)') && message.includes('GET /a'), message);
    assert.match(String(fix), /Rename one/);
    assert.equal(routed(routes, '/a'), '/a');
    assert.equal(routed(routes, '/b'), 'not-found');
  });

  it('refuses a name used by a localised route or one of its paths, and a localised route with a used name', () => {
    const local = { name: 'x', path: { en: '/en', fr: '/fr' } };
    const pairs: [RouteDefinition, RouteDefinition][] = [
      [local, { name: 'x', path: '/x' }],
      [{ name: 'x', path: '/x' }, local],
      [local, local],
      [local, { name: 'x.en', path: '/x' }],
    ];
    for (const [one, other] of pairs) {
      const routes = createRoutes([one]);
      assert.equal(refusal(() => routes.add(other)).code, 'ROUTING_DUPLICATE_NAME');
    }
  });

  it('adds no part of a localised route if one of its paths is refused', () => {
    const routes = createRoutes([{ name: 'x.fr', path: '/a' }]);
    refusal(() => routes.add({ name: 'x', path: { en: '/en', fr: '/fr' } }));
    assert.equal(routes.size, 1);
    assert.equal(routed(routes, '/en'), 'not-found');
  });

  it('allows reusing a removed name', () => {
    const routes = createRoutes([
      { name: 'x', path: '/a' },
      { name: 'y', path: { en: '/en', fr: '/fr' } },
    ]);
    assert.equal(routes.remove('x') && routes.remove('y.en') && routes.remove('y'), true);
    routes.add({ name: 'x', path: '/b' });
    routes.add({ name: 'y', path: '/c' });
    assert.deepEqual(
      [routed(routes, '/a'), routed(routes, '/b'), routed(routes, '/c')],
      ['not-found', '/b', '/c'],
    );
  });

  it('finds a free name for each unnamed route', () => {
    const routes = createRoutes([
      { name: 'a', path: { en: '/x', fr: '/y' } },
      { path: '/a' },
      { path: '/a' },
    ]);
    routes.add({ path: '/b' });
    assert.equal(new Set(routes.all().map(({ key }) => key)).size, 5);
  });

  it('refuses a colon for a variable, and shows the right syntax', () => {
    for (const path of ['/a/:id', '/:id', '/a/:id/{x}', '/{x}/:id', '/a/:id?', '/a/:id(\\d+)']) {
      const { code, message, fix } = refusal(() => createRoutes([{ path }]));
      assert.equal(code, 'ROUTING_BAD_PATTERN');
      assert.match(message, /":id" is not a variable/);
      assert.match(String(fix), /Write "\{id\}" for a variable/);
    }
    for (const path of ['/v1/{name}:cancel', '/a/:{id}', '/at/12:30', '/{x<a/:b>}', '/::1']) {
      assert.equal(createRoutes([{ path }]).size, 1, path);
    }
    assert.equal(routed(createRoutes([{ path: '/a/{id<:id>}' }]), '/a/:id'), '/a/{id<:id>}');
  });

  it('refuses a path that does not begin with one slash, outside a group', () => {
    for (const [path, fix] of [
      ['a', 'Write "/a".'],
      ['', 'Write "/".'],
      ['//a', 'Write "/a".'],
      ['{x}', 'Write "/{x}".'],
    ] as const) {
      assert.deepEqual(refusal(() => createRoutes([{ path }])).fix, fix);
    }
    assert.equal(
      refusal(() => createRoutes().group({ path: 'a' }, [{ path: '/b' }])).code,
      'ROUTING_BAD_PATTERN',
    );
    const grouped = createRoutes()
      .group({ path: '/g' }, [{ path: '' }, { path: 'a' }, { path: '/b' }])
      .group({ path: '/' }, [{ path: '' }]);
    assert.deepEqual(
      grouped.all().map(({ path }) => path),
      ['/g', '/g/a', '/g/b', '/'],
    );
  });
});

describe('a group of routes', () => {
  it('passes its name, methods, host, priority, defaults and requirements on to its routes, whose own options win', () => {
    const shared = {
      name: 'shop_',
      path: '/shop',
      methods: ['GET', 'POST'],
      host: 'shop.example',
      priority: 3,
      defaults: { a: 1, b: 1 },
      requirements: { id: '\\d+' },
    };
    const routes = createRoutes().group(shared, (group) => {
      group.add({ name: 'plain', path: '/{id}' });
      group.group({ name: 'inner_', path: '/in' }, (inner) => {
        inner.add({
          name: 'own',
          path: '/{id}',
          methods: 'PUT',
          host: 'own.example',
          priority: 5,
          defaults: { b: 2 },
        });
      });
    });
    const [own, plain] = routes.all();
    assert.deepEqual(
      [own?.name, own?.path, own?.methods, own?.host, own?.priority],
      ['shop_inner_own', '/shop/in/{id}', ['PUT'], 'own.example', 5],
    );
    assert.deepEqual({ ...own?.defaults }, { a: 1, b: 2 });
    assert.deepEqual(
      [plain?.name, plain?.methods, plain?.host, plain?.priority],
      ['shop_plain', ['GET', 'POST'], 'shop.example', 3],
    );
    for (const route of [own, plain]) assert.equal(route?.requirements['id'], '\\d+');
  });

  it('has, like a single route, requirements that precede those in its paths', () => {
    const routes = createRoutes([{ path: '/{id<\\d+>}/{x<a>}', requirements: { id: '[a-f]+' } }]);
    routes.group({ requirements: { id: '[a-f]+' } }, [{ path: '/g/{id<\\d+>}/{x<a>}' }]);
    for (const at of [0, 1])
      assert.deepEqual({ ...routes.all()[at]?.requirements }, { id: '[a-f]+', x: 'a' });
  });

  it("checks its own condition and the route's", () => {
    const seen: string[] = [];
    const says = (name: string, answer: boolean) => (): boolean => {
      seen.push(name);
      return answer;
    };
    const found = (outer: boolean | undefined, inner: boolean | undefined): string => {
      const routes = createRoutes().group(outer === undefined ? {} : { condition: says('outer', outer) }, [
        { name: 'a', path: '/a', ...(inner !== undefined && { condition: says('inner', inner) }) },
      ]);
      const result = routed(routes, '/a');
      return `${result} ${[...new Set(seen.splice(0))].join()}`;
    };
    assert.equal(found(true, true), '/a outer,inner');
    assert.equal(found(false, true), 'not-found outer');
    assert.equal(found(true, false), 'not-found outer,inner');
    assert.equal(found(undefined, true), '/a inner');
    assert.equal(found(true, undefined), '/a outer');
    assert.equal(found(undefined, undefined), '/a ');
  });

  it('with localised paths gives every route a path in each language, and unnamed routes the name of their first one', () => {
    const paths = (routes: RouteCollection): string[] =>
      routes.all().map(({ key, path, locale }) => `${key} ${path} ${locale ?? ''}`);
    const about = { en: '/about us', fr: '/a-propos' };
    assert.deepEqual(paths(createRoutes([{ path: about }])), [
      'about_us.en /about us en',
      'about_us.fr /a-propos fr',
    ]);
    const languages = { path: { en: '/en', fr: '/fr' } };
    assert.deepEqual(paths(createRoutes().group(languages, [{ name: 'x', path: '/x' }])), [
      'x.en /en/x en',
      'x.fr /fr/x fr',
    ]);
    assert.deepEqual(paths(createRoutes().group({ path: '/p' }, [{ name: 'x', path: about }])), [
      'x.en /p/about us en',
      'x.fr /p/a-propos fr',
    ]);
    assert.deepEqual(paths(createRoutes().group(languages, [{ name: 'x', path: about }])), [
      'x.en /en/about us en',
      'x.fr /fr/a-propos fr',
    ]);
    for (const [outer, inner] of [
      [{ en: '/en' }, about],
      [about, { fr: '/fr' }],
    ] as const) {
      const { code, message } = refusal(() =>
        createRoutes().group({ path: outer }, [{ name: 'x', path: inner }]),
      );
      assert.equal(code, 'ROUTING_MISSING_LOCALES');
      assert.match(message, /"?x"?/);
    }
  });

  it('is found in all languages by its name, and in one by name and language', () => {
    const routes = createRoutes([
      { name: 'y', path: '/y' },
      { name: 'x', path: { en: '/en', fr: '/fr' } },
    ]);
    assert.deepEqual(
      ['y', 'x', 'x.fr', 'z'].map((name) => routes.find(name)?.path),
      ['/y', '/en', '/fr', undefined],
    );
    const { version } = routes;
    assert.deepEqual(
      [routes.remove('x.en'), routes.find('x')?.path, routes.remove('x.en')],
      [true, '/fr', false],
    );
    assert.ok(routes.version > version);
  });
});
