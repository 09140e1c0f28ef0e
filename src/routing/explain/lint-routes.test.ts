import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lintRoutes } from './lint-routes.js';
import { createRoutes } from '../define/route-collection.js';
import type { RouteDefinition } from '../define/route.js';

const lint = (...definitions: RouteDefinition[]): string[] =>
  lintRoutes(createRoutes(definitions)).map(({ rule, route }) => `${rule} ${route}`);

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

  it('is silent about routes that can', () => {
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

  it('finds a requirement of a variable that is in no path', () => {
    assert.deepEqual(lint({ name: 'a', path: '/{x}', requirements: { y: '\\d+' } }), [
      'unused-requirement a',
    ]);
  });
});
