import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileRoutes } from '../compile/compile-routes.js';
import { explainMatch } from './explain-match.js';
import { createRoutes } from '../define/route-collection.js';

const compiled = compileRoutes(
  createRoutes([
    { name: 'post', path: '/blog/{slug}', methods: 'POST' },
    { name: 'number', path: '/blog/{id<\\d+>}' },
    { name: 'host', path: '/blog/{x}', host: 'a.org' },
    { name: 'condition', path: '/blog/{x}', condition: () => false },
    { name: 'slash', path: '/blog/{x}/' },
    { name: 'other', path: '/about' },
  ]),
);
const levels = (path: string, options?: { limit: number }): string[] =>
  explainMatch(compiled, { method: 'GET', path }, options).rows.map(
    ({ name, level, reason }) => `${name} ${level}: ${reason}`,
  );

describe('explainMatch', () => {
  it('ignores the case of hosts', () => {
    const routes = compileRoutes(
      createRoutes([
        { name: 'host', path: '/{x}', host: 'a.org' },
        { name: 'other', path: '/{x}', host: 'b.org' },
      ]),
    );
    const { rows } = explainMatch(routes, { method: 'GET', path: '/1', host: 'B.ORG' });
    assert.deepEqual(
      rows.map(({ name, level, reason }) => `${name} ${level}: ${reason}`),
      ['host almost: host "b.org" is not "a.org"', 'other match: matches'],
    );
  });

  it('gives the reason for each route', () => {
    assert.deepEqual(levels('/blog/abc'), [
      'post almost: method "GET" is not one of POST',
      'number almost: "id" must match \\d+',
      'host almost: host "localhost" is not "a.org"',
      'condition almost: its condition returned false',
      'slash almost: the trailing slash differs; redirects to /blog/abc/',
      'other no: path does not match',
    ]);
  });

  it('ends at the matching route', () => {
    assert.deepEqual(levels('/blog/7').slice(-1), ['number match: matches']);
    assert.equal(levels('/blog/7').length, 2);
  });

  it('keeps the informative rows and counts the others', () => {
    const trace = explainMatch(compiled, { method: 'GET', path: '/blog/7' }, { limit: 1 });
    assert.deepEqual([trace.rows.map((row) => row.name), trace.omitted], [['number'], 1]);
    assert.deepEqual(levels('/abuot', { limit: 2 }).length, 2);
    const paths = ['/one', '/two', '/three', '/{id<\\d+>}', '/four'];
    const routes = compileRoutes(createRoutes(paths.map((path) => ({ name: path, path }))));
    const kept = (limit: number): string[] =>
      explainMatch(routes, { method: 'GET', path: '/x' }, { limit }).rows.map(({ name }) => name);
    assert.deepEqual(
      [kept(1), kept(2), kept(4), kept(9)],
      [['/{id<\\d+>}'], ['/one', '/{id<\\d+>}'], ['/one', '/two', '/three', '/{id<\\d+>}'], paths],
    );
  });

  it('suggests similar paths', () => {
    const names = (path: string): string[] =>
      explainMatch(compiled, { method: 'GET', path }).nearMisses.map((miss) => miss.name);
    assert.equal(names('/abuot')[0], 'other');
    assert.ok(names('/blgo/x').includes('post'));
    assert.deepEqual(names('/something/else/entirely'), []);
    assert.deepEqual(names('/en/produkte'), [], 'a variable alone does not make paths similar');
    const form = ['GET', 'POST'].map((method) => ({
      name: `login_${method}`,
      path: '/login',
      methods: [method],
    }));
    const { nearMisses } = explainMatch(compileRoutes(createRoutes(form)), { method: 'GET', path: '/logni' });
    assert.deepEqual(
      nearMisses.map(({ path }) => path),
      ['/login'],
      'each path once',
    );
  });
});
