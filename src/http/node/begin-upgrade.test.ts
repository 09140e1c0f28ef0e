import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { describe, it } from 'node:test';
import { HttpResponse } from '../response/http-response.js';
import { answerUnparsed } from './begin-upgrade.js';

describe('an answer to bytes that could not be parsed', () => {
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
    const socket = sink as Socket; // the answer needs no more of a socket than a duplex stream has
    const sent = await answerUnparsed(socket, HttpResponse.stream(body, { status: 400 }), 'GET');
    assert.equal(sent.completed, false);
    assert.equal(sent.bodyBytes, 0);
    assert.match(written, /^HTTP\/1\.1 400 Bad Request\r\n/);
    assert.ok(written.endsWith('\r\n\r\n'));
  });
});
