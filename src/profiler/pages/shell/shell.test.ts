import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpRequest, HttpResponse } from '#http';
import { isInPane, showFramed } from './shell.js';

describe('a page in the pane', () => {
  const isShownInPane = async (headers: Readonly<Record<string, string>>): Promise<boolean> => {
    const request = new HttpRequest({
      method: 'GET',
      target: '/_profiler/',
      rawHeaders: ['Host', 'a.test', ...Object.entries(headers).flat()],
      httpVersion: '1.1',
      peer: { address: '127.0.0.1', port: 1, encrypted: false },
    });
    let isPane = false;
    const show = async (): Promise<HttpResponse> => {
      isPane = isInPane();
      return new HttpResponse('');
    };
    await showFramed(request, show, () => Promise.reject(new Error('no store')));
    return isPane;
  };

  it('is one that a page of the same origin frames, as the browser says', async () => {
    const [dest, site] = ['sec-fetch-dest', 'sec-fetch-site'];
    assert.equal(await isShownInPane({ [dest]: 'iframe', [site]: 'same-origin' }), true);
    assert.equal(await isShownInPane({ [dest]: 'iframe', [site]: 'cross-site' }), false);
    assert.equal(await isShownInPane({ [dest]: 'document', [site]: 'same-origin' }), false);
    assert.equal(await isShownInPane({}), false);
    assert.equal(isInPane(), false);
  });
});
