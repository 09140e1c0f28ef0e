import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpRequest, HttpResponse } from '#http';
import { isInPane, showFramed } from './pane.js';

describe('a page in the pane', () => {
  const isShownInPane = (headers: Readonly<Record<string, string>>): boolean => {
    const request = new HttpRequest({
      method: 'GET',
      target: '/_profiler/',
      rawHeaders: ['Host', 'a.test', ...Object.entries(headers).flat()],
      httpVersion: '1.1',
      peer: { address: '127.0.0.1', port: 1, encrypted: false },
    });
    let isPane = false;
    void showFramed(request, () => {
      isPane = isInPane();
      return new HttpResponse('');
    });
    return isPane;
  };

  it('is one that a page of the same origin frames, as the browser says', () => {
    assert.equal(isShownInPane({ 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin' }), true);
    assert.equal(isShownInPane({ 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'cross-site' }), false);
    assert.equal(isShownInPane({ 'sec-fetch-dest': 'document', 'sec-fetch-site': 'same-origin' }), false);
    assert.equal(isShownInPane({}), false);
    assert.equal(isInPane(), false);
  });
});
