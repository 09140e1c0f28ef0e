import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parserFailure } from './parser-failure.js';
import { defaultServerLimits } from './settings/node-server-options.js';

const codeOf = (packet: string): string =>
  parserFailure(
    Object.assign(new Error('overflow'), { code: 'HPE_HEADER_OVERFLOW', rawPacket: Buffer.from(packet) }),
    defaultServerLimits,
  ).code;

describe('a header block over the limit', () => {
  it('is the target’s fault only where the packet begins with the request line', () => {
    assert.equal(codeOf(`GET /${'a'.repeat(20_000)}`), 'HTTP_TARGET_TOO_LONG');
    assert.equal(codeOf(`M-SEARCH /${'a'.repeat(9000)} HTTP/1.1\r\nHost: a\r\n`), 'HTTP_TARGET_TOO_LONG');
    assert.equal(codeOf(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}`), 'HTTP_HEADERS_TOO_LARGE');
    // A TLS record or a chunk later.
    assert.equal(codeOf('a'.repeat(16_384)), 'HTTP_HEADERS_TOO_LARGE');
    assert.equal(codeOf(`aaa\r\nX: ${'a'.repeat(16_000)}`), 'HTTP_HEADERS_TOO_LARGE');
    assert.equal(codeOf(''), 'HTTP_HEADERS_TOO_LARGE');
  });
});
