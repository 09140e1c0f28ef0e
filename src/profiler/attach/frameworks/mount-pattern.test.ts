import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import { patternOfLayer } from './mount-pattern.js';

type Match = (path: string) => { path: string; params: Record<string, unknown> } | false;
const { match: matcherOf } = createRequire(import.meta.resolve('router'))('path-to-regexp') as {
  match(path: string, options: object): Match;
}; // the version that Express 5 uses

/** A layer as created by `router` before 2.3: it only has functions for the declared paths. */
const layerOf = (...paths: readonly (string | RegExp)[]): { readonly matchers: readonly Match[] } => ({
  matchers: paths.map((path): Match => {
    if (typeof path === 'string') return matcherOf(path, { end: false, trailing: true });
    return (text) => {
      const found = path.exec(text);
      const params = Object.fromEntries((found ?? []).slice(1).map((value, at) => [at, value]));
      return found !== null && { path: found[0], params };
    };
  }),
});

describe('the pattern of an Express layer that does not store it', () => {
  for (const [what, paths, expected] of [
    [
      'a parameter',
      ['/users/:id'],
      [
        ['/users/1', '/users/:id'],
        ['/users/users', '/users/:id'],
      ],
    ],
    [
      'case',
      ['/users/:id'],
      [
        ['/Users/1', '/Users/:id'],
        ['/users/2', '/Users/:id'],
      ],
    ],
    [
      'a value that is also a word of the path',
      ['/1/:id'],
      [
        ['/1/1', '/1/:id'],
        ['/1/2', '/1/:id'],
      ],
    ],
    ['parts of a segment', ['/from-:a-:b'], [['/from-x-y', '/from-:a-:b']]],
    ['an encoded value', ['/users/:id'], [['/users/a%20b', '/users/:id']]],
    [
      'a wildcard',
      ['/files/*path'],
      [
        ['/files/a/b', '/files/*path'],
        ['/files/c', '/files/*path'],
      ],
    ],
    [
      'one of several',
      ['/left/:a', '/right/:b'],
      [
        ['/left/1', '/left/:a'],
        ['/right/2', '/right/:b'],
      ],
    ],
    [
      'an expression with a group',
      [/^\/re\/(\d+)/],
      [
        ['/re/12', '/re/*'],
        ['/re/345', '/re/*'],
      ],
    ],
    [
      'an expression without one',
      [/^\/re\/\d+/],
      [
        ['/re/12', '/re/*'],
        ['/re/345', '/re/*'],
      ],
    ],
    ['no parameter', ['/static'], [['/static', '/static']]],
    ['no path that matches', ['/other'], [['/static/1', '/static/1']]],
  ] as const)
    it(`is learned from what it matches: ${what}`, () => {
      const layer = layerOf(...paths);
      for (const [path, pattern] of expected) assert.equal(patternOfLayer(layer, path), pattern);
    });

  it('is the path itself if its function throws', () => {
    const matchers = [
      (): never => {
        throw new Error('no');
      },
    ];
    assert.equal(patternOfLayer({ matchers }, '/a/1'), '/a/1');
  });
});
