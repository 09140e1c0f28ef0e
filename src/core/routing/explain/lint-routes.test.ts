import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lintRoutes } from './lint-routes.js';
import { createRoutes } from '../define/route-collection.js';
import type { RouteDefinition } from '../define/route.js';

const lint = (...definitions: RouteDefinition[]): string[] =>
  lintRoutes(createRoutes(definitions.map((one) => ({ target: () => 'ok', ...one })))).map(
    ({ rule, route }) => `${rule} ${route}`,
  );

describe('lintRoutes', () => {
  it('finds routes that can never match', () => {
    assert.deepEqual(lint({ name: 'a', path: '/{x}' }, { name: 'b', path: '/new' }), ['shadowed b']);
    assert.deepEqual(lint({ name: 'a', path: '/{x}' }, { name: 'b', path: '/{y<\\d+>}' }), ['shadowed b']);
    assert.deepEqual(lint({ name: 'a', path: '/{x}' }, { name: 'b', path: '/{y}-{z}' }), ['shadowed b']);
    assert.deepEqual(lint({ name: 'a', path: '/{all<.+>}' }, { name: 'b', path: '/x/{y}/z' }), [
      'shadowed b',
    ]);
    assert.deepEqual(lint({ name: 'a', path: '/x/{y<[a-z]+>}' }, { name: 'b', path: '/x/abc' }), [
      'shadowed b',
    ]);
    assert.deepEqual(lint({ name: 'a', path: '/{x?1}' }, { name: 'b', path: '/{y?2}' }), ['shadowed b']);
  });

  it('ignores routes that can match', () => {
    assert.deepEqual(lint({ name: 'a', path: '/{x}', methods: 'GET' }, { name: 'b', path: '/new' }), []);
    assert.deepEqual(lint({ name: 'a', path: '/{x<\\d+>}' }, { name: 'b', path: '/{y}' }), []);
    assert.deepEqual(
      lint({ name: 'a', path: '/{x}', condition: () => true }, { name: 'b', path: '/new' }),
      [],
    );
    assert.deepEqual(lint({ name: 'a', path: '/{x}', host: 'a.org' }, { name: 'b', path: '/new' }), []);
    assert.deepEqual(lint({ name: 'a', path: '/{x}' }, { name: 'b', path: '/{y<.*>}' }), []);
    assert.deepEqual(lint({ name: 'a', path: '/x/{all<.+>}' }, { name: 'b', path: '/x/' }), []);
    assert.deepEqual(lint({ name: 'a', path: '/{x}' }, { name: 'b', path: '/{y?1}' }), []);
    assert.deepEqual(lint({ name: 'a', path: '/{x}' }, { name: 'b', path: '/new', priority: 1 }), []);
  });

  it('finds expressions that take cubic time or worse in the form in which they run', () => {
    const degrees = new Map([
      ['^(?:(?:a+)+)$', Infinity],
      ['^(?:\\/x(a+)-(a+))$', 3],
      ['^(?:a+)$', 2],
    ]);
    const run: string[] = [];
    const routes = createRoutes([
      { name: 'a', path: '/{x<(a+)+>}', target: 1 },
      { name: 'b', path: '/x{x<a+>}-{y<a+>}', target: 1 },
      { name: 'c', path: '/c/{x<a+>}/{y?1}', target: 1 },
      { name: 'd', path: '/d/{x}', target: 1 },
      { name: 'e', path: '/e', host: '{s<a+>}.org', target: 1 },
    ]);
    const findings = lintRoutes(routes, ({ source }) => {
      run.push(source);
      return degrees.get(source) ?? 1;
    });
    assert.deepEqual(
      findings.map(({ rule, severity, route }) => [rule, severity, route]),
      [
        ['slow-requirement', 'error', 'a'],
        ['slow-requirement', 'warning', 'b'],
      ],
    );
    assert.deepEqual([...new Set(run)].sort(), [...degrees.keys(), '^(?:(a+)\\.org)$'].sort());
  });
});
