import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as zlib from 'node:zlib';
import fc from 'fast-check';
import { Scope } from '#core/scope';
import { namesCoding, removeFalseCoding } from './false-coding.js';
import { HttpResponse } from './http-response.js';
import type { ResponseBody } from './response-body.js';

const encoders: Readonly<Record<string, (body: Uint8Array) => Buffer>> = {
  gzip: zlib.gzipSync,
  'x-gzip': zlib.gzipSync,
  deflate: zlib.deflateSync,
  DEFLATE: zlib.deflateRawSync,
  br: zlib.brotliCompressSync,
  'gzip, br': (body) => zlib.brotliCompressSync(zlib.gzipSync(body)),
};

function respond(coding: string, body: ResponseBody): HttpResponse {
  const headers = { 'Content-Encoding': coding, 'Content-Length': '7', 'Content-Digest': 'd', ETag: '"e"' };
  return new HttpResponse(body, { headers });
}

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}

async function bytesOf(body: ResponseBody): Promise<Buffer> {
  if (body === null) return Buffer.alloc(0);
  if (typeof body === 'string' || body instanceof Uint8Array) return Buffer.from(body);
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

const scope = { scope: new Scope() };

describe('removeFalseCoding', () => {
  it('keeps a coding that matches the body, however it is sent', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 9000 }),
        fc.constantFrom(...Object.keys(encoders)),
        fc.integer({ min: 1, max: 5000 }),
        async (plain, coding, size) => {
          const encoded = encoders[coding]?.(plain) ?? assert.fail();
          for (const body of [encoded, inChunks(encoded, size)]) {
            const response = respond(coding, body);
            assert.equal(await removeFalseCoding(response, scope), undefined);
            assert.equal(response.headers.get('content-encoding'), coding);
            assert.deepEqual(await bytesOf(response.body), encoded);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('removes one that does not match, with length and digest, and sends the whole body', async () => {
    const texts = ['{"a":1}', '<!doctype html><html>', 'plain text', '[', ''];
    for (const coding of [...Object.keys(encoders), 'zstd'])
      for (const text of texts)
        for (const body of [text, Buffer.from(text), inChunks(Buffer.from(text), 3)]) {
          const response = respond(coding, body);
          assert.notEqual(await removeFalseCoding(response, scope), undefined, `${coding} ${text}`);
          assert.deepEqual([...response.headers], [['ETag', '"e"']]);
          assert.equal(String(await bytesOf(response.body)), text);
        }
  });

  it('keeps an unknown coding, and does not wait for a slow body', async () => {
    assert.equal(await removeFalseCoding(respond('own', 'text'), scope), undefined);
    const never = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) });
    const response = respond('gzip', never);
    assert.equal(await removeFalseCoding(response, scope), undefined);
    assert.equal(response.headers.get('content-encoding'), 'gzip');
  });

  it('only checks complete bodies: a partial one may begin anywhere', () => {
    const part = respond('gzip', 'text');
    part.status = 206;
    assert.deepEqual([part, respond('gzip', null), respond('gzip', 'x')].map(namesCoding), [
      false,
      false,
      true,
    ]);
  });
});
