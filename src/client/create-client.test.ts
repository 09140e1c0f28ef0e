import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compileRoutes, createRoutes, decodePath, matchRoute } from '#routing';
import { renderSearchString, renderTarget } from './create-client.js';

describe('renderTarget', () => {
  it('fills in, encodes, and leaves out a variable together with its separator', () => {
    assert.equal(renderTarget('/a/{id}', { id: 7 }), '/a/7');
    assert.equal(renderTarget('/a/{id<[0-9]{4}>}.{!_format}', { id: 1, _format: 'json' }), '/a/1.json');
    assert.equal(renderTarget('/a/{page?1}', {}), '/a');
    assert.equal(renderTarget('/{page?}', {}), '/');
    assert.equal(renderTarget('/a/{x}', { x: 'é/?#%' }), '/a/%C3%A9%2F%3F%23%25');
    assert.equal(renderTarget('/a/{d}', { d: new Date(0) }), '/a/1970-01-01T00%3A00%3A00.000Z');
    assert.equal(renderTarget('/a/{toString}', {}), '/a');
  });

  it('gives paths that the router reads back', () => {
    const routes = compileRoutes(createRoutes([{ name: 'x', path: '/a/{one}/b/{two<.+>}' }]));
    const text = fc
      .string({ minLength: 1, unit: 'binary' })
      .filter((one) => !/[\0\p{Cs}]/u.test(one) && !/^\.{1,2}$/.test(one));
    fc.assert(
      fc.property(
        text.filter((one) => !one.includes('/')),
        text,
        (one, two) => {
          fc.pre(!two.includes('/'));
          const path = decodePath(renderTarget('/a/{one}/b/{two<.+>}', { one, two }));
          const result = matchRoute(routes, { method: 'GET', path });
          assert.equal(result.kind, 'match');
          if (result.kind === 'match') assert.deepEqual({ ...result.parameters }, { one, two });
        },
      ),
    );
  });
});

describe('renderQuery', () => {
  it('writes lists, objects, and nothing for what is not there', () => {
    assert.equal(renderSearchString({}), '');
    assert.equal(renderSearchString({ a: 1, b: undefined, c: null, d: true }), '?a=1&d=true');
    assert.equal(renderSearchString({ t: ['x', 'y'] }), '?t=x&t=y');
    assert.equal(renderSearchString({ t: ['x'], none: [] }), '?t=x');
    assert.equal(renderSearchString({ f: { a: 'é', b: { c: 1 } } }), '?f%5Ba%5D=%C3%A9&f%5Bb%5D%5Bc%5D=1');
  });
});
