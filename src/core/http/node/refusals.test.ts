import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parserFailure, answerUnparsed } from './refusals.js';
import { defaultServerLimits } from './server-options.js';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { HttpResponse } from '../response/http-response.js';

const codeOf = (packet: string | undefined): string => {
  const seen = packet === undefined ? {} : { rawPacket: Buffer.from(packet) };
  const error = Object.assign(new Error('overflow'), { code: 'HPE_HEADER_OVERFLOW', ...seen });
  return parserFailure(error, defaultServerLimits).code;
};

describe('a header block over the limit', () => {
  it('is attributed to the target only if the packet begins with the request line', () => {
    assert.equal(codeOf(`GET /${'a'.repeat(20_000)}`), 'HTTP_TARGET_TOO_LONG');
    assert.equal(codeOf(`M-SEARCH /${'a'.repeat(9000)} HTTP/1.1\r\nHost: a\r\n`), 'HTTP_TARGET_TOO_LONG');
    assert.equal(codeOf(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}`), 'HTTP_HEADERS_TOO_LARGE');
    // One TLS record or chunk later.
    assert.equal(codeOf('a'.repeat(16_384)), 'HTTP_HEADERS_TOO_LARGE');
    assert.equal(codeOf(`aaa\r\nX: ${'a'.repeat(16_000)}`), 'HTTP_HEADERS_TOO_LARGE');
    for (const nothing of ['', undefined]) assert.equal(codeOf(nothing), 'HTTP_HEADERS_TOO_LARGE');
  });
});

describe('a response to unparsable bytes', () => {
  it('is sent without its body, and does not reject, if the body is already being read', async () => {
    const body = new ReadableStream({ start: (controller) => controller.enqueue('text') });
    body.getReader();
    let written = '';
    const sink = new Duplex({
      read: () => undefined,
      write(chunk: Uint8Array, _encoding, done) {
        written += Buffer.from(chunk).toString();
        done();
      },
    });
    const socket = sink as Socket; // the response needs no more of a socket than a duplex stream provides
    const sent = await answerUnparsed(socket, HttpResponse.stream(body, { status: 400 }), 'GET');
    assert.equal(sent.completed, false);
    assert.equal(sent.bodyBytes, 0);
    assert.match(written, /^HTTP\/1\.1 400 Bad Request\r\n/);
    assert.ok(written.endsWith('\r\n\r\n'));
  });
});
