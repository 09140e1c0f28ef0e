import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HttpRequest } from '#core/http';
import { createIgnore, ignoredPath, type IgnoreRule } from './ignored-requests.js';

const request = (method: string, rawPath: string): HttpRequest =>
  ({ method, rawPath, path: rawPath }) as HttpRequest; // the fields that the rules read

function ignores(rules: readonly IgnoreRule[], ...[method, path]: [string, string]): boolean {
  return createIgnore(rules, (error) => assert.fail(String(error)))?.(request(method, path)) ?? false;
}

describe('ignored requests', () => {
  it('match a path exactly, with any method', () => {
    assert.equal(ignores(['/healthz'], 'GET', '/healthz'), true);
    assert.equal(ignores(['/healthz'], 'POST', '/healthz'), true);
    for (const path of ['/healthz/', '/healthz2', '/a/healthz', '/HEALTHZ'])
      assert.equal(ignores(['/healthz'], 'GET', path), false, path);
  });

  it('match a pattern, in which * stands for any characters, including none', () => {
    for (const [rule, path, expected] of [
      ['/assets/*', '/assets/a/b.css', true],
      ['/assets/*', '/assets/', true],
      ['/assets/*', '/assets', false],
      ['*.css', '/a/b.css', true],
      ['*.css', '/a/b.css.map', false],
      ['/a*/b*c', '/a1/b2c', true],
      ['/a*/b*c', '/a1/c/b', false],
      ['/ab*ba', '/aba', false],
      ['/*aa*aa*', '/aaa', false],
      ['/*aa*aa*', '/xaayaaz', true],
      ['*', '/', true],
      ['*', '*', true],
    ] as const)
      assert.equal(ignores([rule], 'GET', path), expected, `${rule} ${path}`);
  });

  it('match only the given methods, and HEAD with GET', () => {
    for (const [method, expected] of [
      ['GET', true],
      ['HEAD', true],
      ['POST', false],
    ] as const)
      assert.equal(ignores(['GET /metrics'], method, '/metrics'), expected, method);
    for (const [method, expected] of [
      ['POST', true],
      ['OPTIONS', true],
      ['GET', false],
    ] as const)
      assert.equal(ignores(['OPTIONS|POST /ping*'], method, '/ping/1'), expected, method);
  });

  it('match a function that returns true; another value, a promise or an exception ignores nothing', () => {
    assert.equal(ignores([({ path }) => path === '/a'], 'GET', '/a'), true);
    assert.equal(ignores([({ path }) => path === '/a'], 'GET', '/b'), false);
    for (const other of [1, 'yes', {}, undefined])
      assert.equal(ignores([(() => other) as unknown as IgnoreRule], 'GET', '/a'), false); // as JavaScript may pass it
    const failures: unknown[] = [];
    const later = (async () => Promise.reject(new Error('not handled'))) as unknown as IgnoreRule; // as JavaScript may pass it
    assert.equal(createIgnore([later], (error) => failures.push(error))?.(request('GET', '/a')), false);
    assert.match(String(failures.splice(0)), /A function in "ignore" returned a promise/);
    const problem = new Error('no');
    const throwing = (): boolean => {
      throw problem;
    };
    const isIgnored = createIgnore([throwing], (error) => failures.push(error));
    assert.equal(isIgnored?.(request('GET', '/a')), false);
    assert.deepEqual(failures, [problem]);
  });

  it('are rejected as rules if they could match nothing', () => {
    for (const rule of ['healthz', '', 'get /metrics', 'GET', 'GET metrics', '/a b', '/healthz,/readyz x'])
      assert.notEqual(ignoredPath.check(rule), undefined, rule);
  });
});
