import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRoutes, type Route, type RouteDefinition } from '#core/routing';
import { pathTemplates, variableSchema } from './described-route.js';

function routeOf(path: string, more: Partial<RouteDefinition> = {}): Route {
  const [route] = createRoutes([
    { name: 'x', path, methods: 'GET', target: () => 'x', ...more } as RouteDefinition,
  ]).all(); // only the inspected part
  assert.ok(route);
  return route;
}

const templates = (path: string, more?: Partial<RouteDefinition>): string[] =>
  pathTemplates(routeOf(path, more)).map((template) => template.path);

describe("paths in OpenAPI's notation", () => {
  it('have their variables in braces, without requirements and defaults', () => {
    assert.deepEqual(templates('/books/{id<\\d+>}/pages/{page}'), ['/books/{id}/pages/{page}']);
    assert.deepEqual(pathTemplates(routeOf('/{a}/{b}'))[0]?.variables, ['a', 'b']);
    assert.deepEqual(templates('/'), ['/']);
  });

  it('exist for each number of optional variables at the end', () => {
    assert.deepEqual(templates('/blog/{year?2024}/{page?1}'), [
      '/blog/{year}/{page}',
      '/blog/{year}',
      '/blog',
    ]);
    assert.deepEqual(templates('/{page?1}'), ['/{page}', '/']);
    // Anything before a mandatory part is mandatory too.
    assert.deepEqual(templates('/{year?2024}/archive'), ['/{year}/archive']);
  });

  it('are encoded, except variables and slashes', () => {
    assert.deepEqual(templates('/été/a b/{id}'), ['/%C3%A9t%C3%A9/a%20b/{id}']);
  });

  it('contain every variable', () => {
    const segment = fc.oneof(
      fc.constantFrom('a', 'b-c', 'd.e'),
      fc.integer({ min: 0, max: 99 }).map((n) => `{v${n}}`),
    );
    fc.assert(
      fc.property(fc.uniqueArray(segment, { maxLength: 6 }), (segments) => {
        const path = `/${segments.join('/')}`;
        for (const template of pathTemplates(routeOf(path))) {
          assert.equal((template.path.match(/\{/g) ?? []).length, template.variables.length);
          assert.equal(template.path, path);
        }
      }),
    );
  });
});

describe("a variable's schema", () => {
  it('lists the words if the requirement consists of words, otherwise it has the whole pattern', () => {
    assert.deepEqual(variableSchema(routeOf('/{f<json|xml-1>}'), 'f'), {
      type: 'string',
      enum: ['json', 'xml-1'],
    });
    assert.deepEqual(variableSchema(routeOf('/{n<\\d+>}'), 'n'), { type: 'string', pattern: '^(?:\\d+)$' });
    assert.deepEqual(variableSchema(routeOf('/{n<a|b+>}'), 'n'), { type: 'string', pattern: '^(?:a|b+)$' });
    assert.deepEqual(variableSchema(routeOf('/{n}'), 'n'), { type: 'string' });
  });

  it('is a plain string for names such as those of Object.prototype', () => {
    assert.deepEqual(variableSchema(routeOf('/{constructor}'), 'constructor'), { type: 'string' });
    assert.deepEqual(variableSchema(routeOf('/{toString}'), 'toString'), { type: 'string' });
  });
});
