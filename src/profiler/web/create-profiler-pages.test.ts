import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpRequest } from '#core/http';
import { createProfilerPages } from './create-profiler-pages.js';
import { openProfilerPages } from './open-profiler-pages.js';
import { ProfilerLinks } from './site/links.js';
import { pagePaths } from './page-paths.js';
import type { ProfileReader } from './site/profiler-site.js';

const reader = { onNews: () => () => undefined } as unknown as ProfileReader; // not used
const request = (rawHeaders: readonly string[]): HttpRequest =>
  new HttpRequest({
    method: 'GET',
    target: '/_profiler/',
    rawHeaders,
    httpVersion: '1.1',
    peer: { address: '10.0.0.9', port: 1, encrypted: false },
  });

describe("the profiler pages' routes", () => {
  const routes = createProfilerPages({ reader, prefix: '/_debug' });

  it('have a page each, and every page has one', () => {
    const pages = openProfilerPages({ reader }, '/_debug');
    assert.deepEqual(Object.keys(pages).toSorted(), Object.keys(pagePaths).toSorted());
    assert.deepEqual(
      routes.map(({ name }) => name),
      Object.keys(pagePaths),
    );
  });

  it('are below the prefix, and restrict every parameter', () => {
    for (const { name, path, requirements } of routes) {
      assert.ok(path.startsWith('/_debug/'), name);
      const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter ?? '');
      assert.deepEqual(Object.keys(requirements).toSorted(), parameters.toSorted(), name);
    }
  });

  it('change something by POST only', () => {
    const posts = routes
      .filter(({ methods }) => methods[0] === 'POST')
      .map(({ name }) => name.replace('_profiler_', ''));
    assert.deepEqual(posts.toSorted(), ['browser', 'explain', 'mark', 'purge', 'replay']);
  });

  it('match every URL that the pages link to, the first match first', () => {
    const expressions = routes.map(({ name, path, requirements, methods }) => ({
      name,
      method: methods[0],
      pattern: new RegExp(
        `^${path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, (_, key: string) => `(?:${requirements[key] ?? ''})`)}$`,
      ),
    }));
    const links = new ProfilerLinks('/_debug');
    for (const [method, address, name] of [
      ['GET', links.list(), '_profiler_home'],
      ['GET', links.totals('routes'), '_profiler_routes'],
      ['GET', links.totals('errors'), '_profiler_errors'],
      ['GET', links.record('abcdef'), '_profiler'],
      ['GET', links.record('latest'), '_profiler'],
      ['GET', links.compareForm(), '_profiler_compare_marked'],
      ['GET', links.compare('abcdef', 'last-good'), '_profiler_compare'],
      ['GET', links.data('abcdef', 'md'), '_profiler_data'],
      ['GET', links.data('abcdef', 'cpuprofile'), '_profiler_data'],
      ['GET', '/_debug/schema.json', '_profiler_schema'],
      ['GET', '/_debug/search.har', '_profiler_search'],
      ['GET', '/_debug/live', '_profiler_live'],
      ['GET', '/_debug/toolbar.js', '_profiler_toolbar_script'],
      ['GET', '/_debug/abcdef/toolbar', '_profiler_toolbar'],
      ['POST', links.purge('app'), '_profiler_purge'],
      ['POST', links.purge('profiler'), '_profiler_purge'],
      ['POST', links.action('abcdef', 'mark'), '_profiler_mark'],
      ['POST', links.action('abcdef', 'replay'), '_profiler_replay'],
      ['POST', links.action('abcdef', 'explain'), '_profiler_explain'],
    ] as const)
      assert.equal(
        expressions.find((one) => one.method === method && one.pattern.test(address))?.name,
        name,
        `${method} ${address}`,
      );
  });

  it('are closed to clients that the guard refuses, before anything is read', async () => {
    for (const { controller, name } of routes)
      await assert.rejects(controller(request(['Host', 'a.test'])), { name: 'ForbiddenError' }, name);
  });
});
