import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseIpAddress } from '../trust/ip-address.js';
import { parseHost } from '../trust/parse-host.js';
import { parseMediaType } from './media-type.js';
import { negotiateType } from './negotiate-type.js';
import { parseCookies } from './parse-cookies.js';
import { parseForwarded } from './parse-forwarded.js';

describe('hostile length', () => {
  it('a header of 8 KiB of any one text is refused, or holds nothing', () => {
    for (const piece of [
      'a',
      ',',
      ';',
      '=',
      '"',
      '\\',
      ' ',
      '"\\',
      'a=',
      ';a',
      'for=a,',
      '[',
      ':',
      '%',
      'a/b;',
      ', ',
      '\t',
    ]) {
      const text = piece.repeat(8192 / piece.length);
      assert.equal(parseHost(text), undefined, piece);
      assert.equal(parseIpAddress(text), undefined, piece);
      assert.equal(parseForwarded(`for="${text}`), undefined, piece);
      assert.equal(parseMediaType(`a/b;a="${text}`), undefined, piece);
      assert.deepEqual(
        Object.keys(parseCookies(text)).filter((name) => name !== 'a'),
        [],
        piece,
      );
      assert.equal(negotiateType(`${text}, text/plain`, ['text/html']), undefined, piece);
    }
  });
});
