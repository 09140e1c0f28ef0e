import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpRequest, type RequestSource } from '#http';
import { runInScope } from '#scope';
import { currentAddress, preparePage } from './prepare-page.js';

function requestOf(
  headers: Readonly<Record<string, string>> = {},
  changes: Partial<RequestSource> = {},
): HttpRequest {
  return new HttpRequest({
    method: 'GET',
    target: '/_profiler/',
    rawHeaders: ['Host', 'a.test', ...Object.entries(headers).flat()],
    httpVersion: '1.1',
    peer: { address: '127.0.0.1', port: 1, encrypted: false },
    ...changes,
  });
}

describe('preparePage', () => {
  it('notes the query, and whether the page is framed by a page of the same origin', () => {
    const request = requestOf(
      { 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin' },
      { target: '/_profiler/?q=a&page=2' },
    );
    preparePage(request, '/_profiler');
    runInScope(request.scope, () => {
      assert.deepEqual(currentAddress(), { query: 'q=a&page=2', isPane: true });
    });
    const foreign = requestOf({ 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'cross-site' });
    preparePage(foreign, '/_profiler');
    assert.equal(
      runInScope(foreign.scope, () => currentAddress().isPane),
      false,
    );
    assert.deepEqual(currentAddress(), { query: '', isPane: false });
  });
});
