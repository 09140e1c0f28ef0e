import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isCodedError } from '#coded-error';
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
  it('refuses a second route of one name, and keeps the first', () => {
    const routes = createRoutes([{ name: 'x', path: '/a', methods: 'GET' }]);
    const { code, message, fix } = refusal(() => routes.add({ name: 'x', path: '/b' }));
    assert.equal(code, 'ROUTING_DUPLICATE_NAME');
    assert.ok(message.includes('"x" (/b)') && message.includes('GET /a'), message);
    assert.match(String(fix), /another name/);
    assert.equal(routed(routes, '/a'), '/a');
    assert.equal(routed(routes, '/b'), 'not-found');
  });

  it('refuses a name that a localised route, one of its paths, or an alias has', () => {
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

  it('adds nothing of a localised route of which one path is refused', () => {
    const routes = createRoutes([{ name: 'x.fr', path: '/a' }]);
    refusal(() => routes.add({ name: 'x', path: { en: '/en', fr: '/fr' } }));
    assert.equal(routes.size, 1);
    assert.equal(routed(routes, '/en'), 'not-found');
  });

  it('gives a removed name away again', () => {
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

  it('finds a free name for each route that has none', () => {
    const routes = createRoutes([
      { name: 'a', path: { en: '/x', fr: '/y' } },
      { path: '/a' },
      { path: '/a' },
    ]);
    routes.add({ path: '/b' });
    assert.equal(new Set(routes.all().map(({ key }) => key)).size, 5);
  });

  it('refuses a colon for a variable, and says how one is written', () => {
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

  it('refuses a path that does not begin with one slash, outside of a group', () => {
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
